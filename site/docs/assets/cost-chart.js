/* Charts of costs that follow the choice in the forms of the home page, with the rows and texts of pipeline/website/pages/home/cost_figures.py.
   Exports `gpuledger.llmCost` and `gpuledger.jobCost`, and `gpuledger.choiceView` for charts.js. */
(() => {
  "use strict";
  const { gettext, numbers: { number, usd }, parts: { providerName, several } } = window.gpuledger;
  const SHOWN = 10;
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

  const llmChart = costChart("llm-cost", ".gl-run-llm", "speed", gettext("Tokens/s"));
  const jobChart = costChart("job-cost", ".gl-run-job", "hours", gettext("Hours"));

  function llmPoint(one, order, asked, providers) {
    const cost = (value) => (value === null ? null : value * asked.millions);
    return {
      rank: one.rank, label: several(one), usd: cost(one.usd_per_million), low: cost(one.usd_per_million_low),
      high: cost(one.usd_per_million_high), speed: one.tokens_per_s, provider: providerName(providers, one.provider), order, is_first: one.rank === 1, is_unranked: one.unranked,
    };
  }

  function llmTitle(cheapest, asked) {
    const values = { gpu: cheapest.label, usd: usd(cheapest.usd) };
    if (cheapest.is_unranked) return gettext("Predicted, not ranked: {gpu} costs {usd}", values);
    return asked.tune ? gettext("{gpu} costs least: {usd} for the job", values) : gettext("{gpu} costs least: {usd} per million tokens", values);
  }

  const PREDICTED = "-- No table has all speeds of this question. Those that it lacks follow from these coefficients and intervals, here and on the command line:\n";

  /* The query of the question: the first one's with other names, or that of fine-tuning, or that of the speed model. */
  function llmQuery(asked) {
    if (asked.command) return `${PREDICTED}-- ${asked.command}\nSELECT p.*, i.run_class AS interval_class, i.factor_90\nFROM llm_speed_part AS p\nJOIN llm_speed_interval AS i ON (i.phase, i.fit) = (p.phase, p.run_class)\nORDER BY ALL`;
    const model = `llm_model_id = '${asked.model}'`;
    if (asked.tune) return `SELECT * FROM llm_tuning_cost\nWHERE ${model} AND tune = '${asked.tune}' AND NOT price_stale\nORDER BY usd_per_job`;
    const types = [...asked.titles.keys()].map((name) => "'" + name + "'").join(", ");
    return llmChart.firstQuery().replace(/llm_model_id = .*/, `${model} AND r.quantization IN (${types}) AND r.use = '${asked.use}'`);
  }

  /* Shows the costs of a question about a language model. `asked`: the question as of `llmAdvice`; `question`: its words. The figure is hidden where no cost is known. */
  function llmCost(asked, question, running, providers) {
    if (!document.getElementById("llm-cost")) return;
    const points = running.slice(0, SHOWN).filter((one) => one.usd_per_million !== null).map((one, order) => llmPoint(one, order, asked, providers));
    if (!points.length) return llmChart.show({ points });
    const sure = points.filter((one) => !one.is_unranked);
    const cheapest = (sure.length ? sure : points).reduce((least, one) => (one.usd < least.usd ? one : least));
    const finding = running.length === 1 ? gettext("{question}. The only GPU that fits and has a price.", { question })
      : gettext("{question}. The first {shown} of {count} GPUs that fit and have a price.", { question, shown: number(points.length), count: number(running.length) });
    llmChart.show({ points, title: llmTitle(cheapest, asked), finding, sql: llmQuery(asked) });
  }

  let jobSource = null; // of rents, as the page was written

  function jobPoint(one, order, isFastest, providers) {
    const end = (seconds) => (seconds === null ? null : (one.usd * seconds) / one.seconds);
    return {
      rank: one.rank, label: several(one), usd: one.usd, low: end(one.seconds_low), high: end(one.seconds_high), hours: one.seconds / 3600,
      provider: providerName(providers, one.provider), order, is_first: isFastest || order === 0, is_unranked: false,
    };
  }

  function jobQuery({ workload, acquisition }) {
    const asked = `workload = '${workload.replaceAll("'", "''")}'`;
    if (acquisition === "rent") return jobChart.firstQuery().replace(/workload = '.*'/, () => asked);
    return `SELECT least_gpu_id, o.kind, o.usd, o.price_date, w.seconds\nFROM offer_current AS o\nJOIN workload_time AS w ON w.gpu_id = o.least_gpu_id\n`
      + `WHERE acquisition = 'buy' AND ${asked}\nORDER BY o.usd`;
  }

  /* Shows the costs of a training job. `asked`: the question; `job`: its name; `cheapest`: the ranked choices by cost, each with the USD for the job and the number of GPUs. */
  function jobCost(asked, job, cheapest, fastest, providers) {
    if (!document.getElementById("job-cost")) return;
    jobSource ??= document.querySelector("#job-cost .gl-source").textContent;
    const shown = cheapest.filter((one, at) => at < SHOWN || one.gpu_id === fastest.gpu_id);
    const points = shown.map((one, order) => jobPoint(one, order, one.gpu_id === fastest.gpu_id, providers));
    const [first] = points;
    const bought = asked.acquisition === "buy" && first && { ...window.gpuledger.jobAdvice.datesOf(shown), names: [...new Set(points.map((one) => one.provider))].join(gettext(", ")) };
    jobChart.show({
      points, sql: jobQuery(asked),
      title: first && gettext("{gpu} costs least: {usd} for the job", { gpu: first.label, usd: usd(first.usd) }),
      source: bought ? gettext("Prices of {first} to {last}. Source: {names}", bought) : jobSource,
      finding: gettext("{job}. The lowest costs among {count} GPUs that fit, and the fastest GPU.", { job, count: cheapest.length }),
    });
  }

  Object.assign(window.gpuledger, { llmCost, jobCost });
  window.gpuledger.choiceView = (chart, draw) => {
    const state = views.get(chart.name);
    if (!state) return null;
    state.redraw = () => chart.turn && draw();
    return () => state.latest;
  };
})();
