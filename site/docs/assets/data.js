/* The data page: where a host serves it, commands name the full address of a file instead of the downloaded file. */
(() => {
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];

  function start() {
    if (!location.protocol.startsWith("http")) return;
    all("[data-file]").forEach((name) => { name.textContent = new URL(name.dataset.file, location.href).href; });
    all("[data-where]").forEach((note) => { note.textContent = "All three read the address as it stands, or the name of the downloaded file."; });
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
