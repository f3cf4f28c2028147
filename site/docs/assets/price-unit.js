/* The unit of rental prices in a table with filters: per hour, month or year. The address keeps it, filters and cells follow it,
   and the CSV keeps the price per hour, as its column names state. Exports `gpuledger.priceUnit`. */
(() => {
  "use strict";
  const HOURS = { hour: 1, month: 730, year: 8760 }; // as pipeline/prices/priced.sql reads a price per month
  const HOURLY = /^(USD\/(?:\([^()]+·)?)h(\)?)$/;
  const gettext = (...args) => window.gpuledger.gettext(...args);

  const unitOf = (hourly, unit) => {
    const name = { hour: "h", month: gettext("mo"), year: gettext("yr") }[unit];
    return hourly.replace(HOURLY, (_, before, after) => before + name + after);
  };

  /* The value in the chosen unit; `stored` is the value per hour. */
  function scale(row, at, view) {
    const value = row.stored(at);
    return typeof value === "number" && view.hourly.some((column) => column.at === at) ? value * HOURS[view.per] : value;
  }

  function wrap(row, view) {
    row.stored = row.value;
    row.value = (at) => scale(row, at, view);
  }

  /* Cells are written anew; a row that makes its cells itself makes them when it is next visible. */
  function redraw(row, view, money) {
    if (row.forget) return row.forget();
    for (const { at } of view.hourly) {
      const value = row.value(at);
      if (value !== null) row.element().cells[at].textContent = money(value);
    }
  }

  function apply(view, unit, money) {
    view.per = unit;
    for (const column of view.hourly) {
      column.unit = unitOf(column.perHour, unit);
      column.head.querySelector(".u").textContent = column.unit;
    }
    view.rows.forEach((row) => redraw(row, view, money));
    gpuledger.tables.show(view);
  }

  /* Connects the switch of a table whose rows are loaded. `money` formats a price; `changed` is called after a change. */
  function priceUnit(view, money, changed) {
    const select = view.tools.querySelector("[data-per]");
    view.hourly = view.columns.filter(({ unit }) => HOURLY.test(unit));
    view.hourly.forEach((column) => { column.perHour = column.unit; });
    view.per = "hour";
    view.rows.forEach((row) => wrap(row, view));
    select.name = "per"; // only now, since it is no filter
    gpuledger.address.recall([select], view.spot);
    if (select.value !== "hour") apply(view, select.value, money);
    select.addEventListener("change", () => {
      gpuledger.address.remember({ per: select.value === "hour" ? "" : select.value });
      apply(view, select.value, money);
      changed();
    });
  }

  window.gpuledger = Object.assign(window.gpuledger ?? {}, { priceUnit });
})();
