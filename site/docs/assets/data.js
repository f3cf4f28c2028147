/* The data page. Where a host serves it, commands name the full address of a file instead of the downloaded file. */
(() => {
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];

  /* the theme puts each copy button into a landmark of its own: a hundred of them help nobody to find the way */
  function groupButtons() {
    const group = () => all(".md-code__nav:not([role])").forEach((buttons) => buttons.setAttribute("role", "presentation"));
    new MutationObserver(group).observe(document.querySelector(".gl-page"), { childList: true, subtree: true });
    group();
  }

  function start() {
    groupButtons();
    if (!location.protocol.startsWith("http")) return;
    all("[data-file]").forEach((name) => { name.textContent = new URL(name.dataset.file, location.href).href; });
    all("[data-where]").forEach((note) => { note.textContent = window.gpuledger.gettext("All three read the address as it stands, or the name of the downloaded file."); });
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
