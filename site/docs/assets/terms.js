/* The meaning of a term, shown on hover or keyboard focus of the link after its heading.
   Without this script the link leads to the glossary. */
(() => {
  "use strict";
  const GAP = 6;
  const EDGE = 8;
  let shown = null;

  const tip = document.createElement("div");
  tip.id = "gl-told";
  tip.className = "gl-told";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;

  /* below the link, or above it at the end of the screen */
  function place(sign) {
    const box = sign.getBoundingClientRect();
    const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - EDGE);
    const below = box.bottom + GAP;
    const above = box.top - GAP - tip.offsetHeight;
    tip.style.left = `${Math.max(EDGE, left)}px`;
    tip.style.top = `${below + tip.offsetHeight > window.innerHeight && above > 0 ? above : below}px`;
  }

  function show(sign) {
    if (shown === sign) return;
    hide();
    shown = sign;
    if (!tip.isConnected) (sign.closest("main") ?? document.body).append(tip);
    tip.textContent = sign.dataset.told;
    tip.hidden = false;
    sign.setAttribute("aria-describedby", tip.id);
    place(sign);
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  }

  const signOf = (event) => (event.target instanceof Element ? event.target.closest(".gl-term") : null);
  const onTip = (node) => node instanceof Node && tip.contains(node);

  function enter(event) {
    const sign = signOf(event);
    if (sign) show(sign);
  }

  /* the pointer may move from the link to the text */
  function leave(event) {
    if (!shown || document.activeElement === shown) return;
    if (!onTip(event.relatedTarget) && !shown.contains(event.relatedTarget)) hide();
  }

  document.addEventListener("mouseover", enter);
  document.addEventListener("mouseout", leave);
  document.addEventListener("focusin", (event) => (signOf(event) ? enter(event) : hide()));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", () => { if (shown) place(shown); }, { capture: true, passive: true });
})();
