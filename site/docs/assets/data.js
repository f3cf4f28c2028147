/* The data page and the pages of tables. On a host, commands have the full address of a file instead of the name of a downloaded file. */
(() => {
  "use strict";
  const { all, gettext, tables } = window.gpuledger;

  /* the tables were parts of the data page: their addresses there lead to their pages */
  function followTable() {
    const name = location.hash.startsWith("#t-") ? location.hash.slice(3).replaceAll("_", "-") : "";
    const links = all("#table-list").flatMap((table) => tables.of(table).rows.map((row) => row.element().querySelector("th a")));
    const page = links.find((link) => link.href.endsWith(`/${name}/index.html`));
    if (page) location.replace(page.href);
  }

  function start() {
    if (location.protocol.startsWith("http")) {
      showAddresses();
      citeAddress();
    }
    followTable();
  }

  function showAddresses() {
    all("[data-file]").forEach((name) => { name.textContent = new URL(name.dataset.file, location.href).href; });
    all("[data-where]").forEach((note) => { note.textContent = gettext("The commands read this address. With a downloaded file, use its name instead."); });
  }
  /* A build does not know where its site will be, unless it is told: the citation has the address where it is read. */
  function citeAddress() {
    const [spot] = all("[data-address]");
    if (!spot || spot.textContent) return;
    const address = new URL(window.gpuledger.shared, location.origin + location.pathname).href;
    const [entry] = all("[data-bibtex]");
    spot.textContent = address;
    entry.textContent = entry.textContent.replace(/\}\s*$/, `  url = {${address}},\n}\n`);
  }
  document.addEventListener("DOMContentLoaded", start);
})();
