/* Behavior that many pages share: the age of figures, and parts of a page that its address opens. */
(() => {
  "use strict";
  const { gettext } = window.gpuledger;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  /* age of a figure today, by the reader's clock */
  function ages() {
    const names = [
      [365.25, gettext("{count} year ago"), gettext("{count} years ago")], [30.44, gettext("{count} month ago"), gettext("{count} months ago")],
      [1, gettext("{count} day ago"), gettext("{count} days ago")],
    ];
    all("[data-age]").forEach((spot) => {
      const days = (Date.now() - Date.parse(spot.dataset.age)) / 864e5;
      const [length, once, more] = names.find(([one]) => days >= one) ?? names.at(-1);
      const count = Math.floor(days / length);
      const said = (count > 1 ? more : once).replace("{count}", count);
      if (days >= 0) spot.textContent = count < 1 ? gettext("today") : said;
    });
  }

  /* An address that names a folded part, or the heading above one, opens it. */
  function openAsked() {
    const name = CSS.escape(location.hash.slice(1));
    const asked = name && document.querySelector(`details#${name}, details[data-under="${name}"]`);
    if (asked) asked.open = true;
  }

  function start() {
    openAsked();
    window.addEventListener("hashchange", openAsked);
    ages();
    document.querySelector(".md-search")?.setAttribute("aria-label", gettext("Search"));
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
