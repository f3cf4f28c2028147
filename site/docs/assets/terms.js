/* What a term means, shown beside the sign that stands after its heading: when the pointer rests on it or the keyboard is there.
   Without this script the sign leads to the glossary. */
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

  /* below the sign, or above it where the screen ends */
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

  /* the pointer may go from the sign onto the text */
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
