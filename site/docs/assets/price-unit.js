/* The unit of rental prices in a table with filters: per hour, month or year. The address keeps it, filters and cells follow it,
   and the CSV keeps the price per hour, as its column names state. Exports `gpuledger.priceUnit`. */
(() => {
  "use strict";
  const { gettext, tables, address: { recall, remember } } = window.gpuledger;
  const HOURS = { hour: 1, month: 730, year: 8760 }; // as pipeline/prices/priced.sql reads a price per month
  const HOURLY = /^(USD\/(?:\(.+·)?)h(\)?)$/;

  /* Values in the chosen unit; `stored` has the value per hour. */
  function wrap(row, view) {
    row.stored = row.value;
    row.value = (at) => {
      const value = row.stored(at);
      return value !== null && view.columns[at].perHour ? value * HOURS[view.per] : value;
    };
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
    const name = { hour: "h", month: gettext("mo"), year: gettext("yr") }[unit];
    view.per = unit;
    for (const column of view.hourly) {
      column.unit = column.perHour.replace(HOURLY, (_, before, after) => before + name + after);
      column.head.querySelector(".u").textContent = column.unit;
    }
    view.rows.forEach((row) => redraw(row, view, money));
    tables.show(view);
  }

  /* Connects the switch of a table whose rows are loaded. `money` formats a price; `changed` is called after a change. */
  window.gpuledger.priceUnit = (view, money, changed) => {
    const select = view.tools.querySelector("[data-per]");
    view.hourly = view.columns.filter(({ unit }) => HOURLY.test(unit));
    view.hourly.forEach((column) => { column.perHour = column.unit; });
    view.rows.forEach((row) => wrap(row, view));
    select.name = "per"; // only now, since it is no filter
    recall([select], view.spot);
    apply(view, select.value, money);
    select.addEventListener("change", () => {
      remember({ per: select.value === "hour" ? "" : select.value });
      apply(view, select.value, money);
      changed();
    });
  };
})();
