/* The data page. On a host, commands have the full address of a file instead of the name of a downloaded file. */
(() => {
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];

  /* the theme makes each copy button a landmark; a hundred landmarks do not help navigation */
  function groupButtons() {
    const group = () => all(".md-code__nav:not([role])").forEach((buttons) => buttons.setAttribute("role", "presentation"));
    new MutationObserver(group).observe(document.querySelector(".gl-page"), { childList: true, subtree: true });
    group();
  }

  /* the commands of the section Use, for another table */
  function commands(example, table) {
    const copy = example.cloneNode(true);
    copy.querySelectorAll("nav, button, .md-code__nav").forEach((button) => button.remove());
    copy.querySelectorAll("[id]").forEach((node) => node.removeAttribute("id"));
    copy.querySelectorAll("[data-file]").forEach((name) => {
      name.dataset.file = name.dataset.file.replace("/gpu.parquet", `/${table}.parquet`);
      name.textContent = name.textContent.replace("gpu.parquet", `${table}.parquet`);
    });
    copy.querySelectorAll("code").forEach((code) => { code.firstChild.textContent = code.firstChild.textContent.replace(/^gpu /, `${table} `); });
    return copy;
  }

  function addCommands() {
    const example = document.querySelector(".gl-use");
    all("details[id^='t-']").forEach((table) => {
      const add = () => table.open && !table.querySelector(".gl-use") && example && table.querySelector(".gl-scroll").after(commands(example, table.id.slice(2)));
      table.addEventListener("toggle", add);
      add();
    });
  }

  function start() {
    groupButtons();
    if (location.protocol.startsWith("http")) showAddresses();
    addCommands();
  }

  function showAddresses() {
    all("[data-file]").forEach((name) => { name.textContent = new URL(name.dataset.file, location.href).href; });
    all("[data-where]").forEach((note) => { note.textContent = window.gpuledger.gettext("All three read the address as it stands, or the name of the downloaded file."); });
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
