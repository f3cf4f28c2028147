/* Behavior that many pages share: parts of a page that its address opens, and what the theme lacks for screen readers. */
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
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
