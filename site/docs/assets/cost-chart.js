/* Charts of costs that follow the choice in a form of the page, as pipeline/website/charts/cost_by_gpu.py draws them.
   Exports `gpuledger.costChart`, and `gpuledger.choiceView` for charts.js. */
(() => {
  "use strict";
  const { gettext } = window.gpuledger;
  const views = new Map(); // by name: the view of the question, null while the page shows its first one, and how to draw it

  /* The figure of this name in a part of the page, whose table has this column beside the cost. `show` shows a view, or hides the part without points; `firstQuery` is the
     query that the page was written with, which a view replaces. */
  function costChart(name, part, key, heading) {
    const state = { latest: null, redraw: null, query: null };
    const columns = Object.entries({
      rank: gettext("Rank"), label: "GPU", usd: "USD", low: gettext("Low"), high: gettext("High"), [key]: heading, provider: gettext("Provider"),
    });
    views.set(name, state);
    const firstQuery = () => (state.query ??= document.querySelector(`#${name} .gl-sql code`).textContent);
    function show(view) {
      firstQuery();
      document.getElementById(name).closest(part).hidden = !view.points.length; // the theme shows a figure that is hidden
      if (!view.points.length) return;
      state.latest = { params: {}, rows: view.points, columns, ...view };
      state.redraw?.();
    }
    return { show, firstQuery };
  }

  window.gpuledger.costChart = costChart;
  window.gpuledger.choiceView = (chart, draw) => {
    const state = views.get(chart.name);
    if (!state) return null;
    state.redraw = () => chart.turn && draw();
    return () => state.latest;
  };
})();
