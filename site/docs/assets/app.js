/* Behavior that many pages share: parts of a page that its address opens, what the theme lacks for screen readers, and the
   meaning of terms. */
(() => {
  "use strict";
  const { gettext } = window.gpuledger;

  /* An address that names a folded part, or the heading above one, opens it. */
  function openAsked() {
    const name = CSS.escape(location.hash.slice(1));
    const asked = name && document.querySelector(`details#${name}, details[data-under="${name}"]`);
    if (asked) asked.open = true;
  }

  /* On a narrow screen the menu of a tab may be wider than the screen: show the entry of this page. */
  function showPlace() {
    const entry = document.querySelector(".gl-section [aria-current]");
    const list = entry?.closest("ul");
    if (list) list.scrollLeft = entry.offsetLeft - list.offsetLeft - 16;
  }

  /* The theme makes each copy button a landmark of the same name, which does not help navigation. */
  function groupButtons() {
    if (!document.querySelector("pre code")) return;
    const group = () => document.querySelectorAll(".md-code__nav:not([role])").forEach((buttons) => buttons.setAttribute("role", "presentation"));
    new MutationObserver(group).observe(document.querySelector(".md-content"), { childList: true, subtree: true });
    group();
  }

  function start() {
    openAsked();
    groupButtons();
    window.addEventListener("load", showPlace, { once: true }); // the page is laid out then, so that measuring costs nothing
    window.addEventListener("hashchange", openAsked);
    document.querySelector(".md-search")?.setAttribute("aria-label", gettext("Search"));
  }
  document.addEventListener("DOMContentLoaded", start);
})();

/* The meaning of a term, shown on hover or keyboard focus of the link after its heading.
   Without this script the link leads to the glossary. */
(() => {
  "use strict";
  const { make } = window.gpuledger;
  const GAP = 6;
  const EDGE = 8;
  let shown = null;

  const tip = make("div", { id: "gl-meaning", className: "gl-meaning", role: "tooltip", hidden: true });

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
    tip.textContent = sign.dataset.text;
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
