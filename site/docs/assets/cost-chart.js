/* Charts of costs that follow the choice in a form of the page, as pipeline/website/charts/cost_by_gpu.py draws them.
   Exports `gpuledger.costChart`, and `gpuledger.choiceView` for charts.js. */
(() => {
  "use strict";
  const views = new Map(); // by name: the view of the question, null while the page shows its first one, and how to draw it

  /* The function that shows a view in the figure of this name, or hides the figure's part of the page without points. */
  function costChart(name, part) {
    const state = { latest: null, redraw: null };
    views.set(name, state);
    return (view) => {
      document.getElementById(name).closest(part).hidden = !view.points.length; // the theme shows a figure that is hidden
      if (!view.points.length) return;
      state.latest = { params: {}, rows: view.points, ...view };
      state.redraw?.();
    };
  }

  window.gpuledger.costChart = costChart;
  window.gpuledger.choiceView = (chart, draw) => {
    const state = views.get(chart.name);
    if (!state) return null;
    state.redraw = () => chart.turn && draw();
    return () => state.latest;
  };
})();
