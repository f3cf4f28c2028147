/* The rows and texts of the chart of a training job, as pipeline/website/components/recommend/job_cost_figure.py writes them.
   Exports `gpuledger.jobCost`. */
(() => {
  "use strict";
  const NAME = "job-cost";
  const SHOWN = 10;
  const { gettext, costChart, numbers: { usd }, parts: { providerName, several } } = window.gpuledger;
  const { show, firstQuery } = costChart(NAME, ".gl-run-job", "hours", gettext("Hours"));

  function pointOf(one, order, isFastest, providers) {
    const end = (seconds) => (seconds === null ? null : (one.usd * seconds) / one.seconds);
    return {
      rank: one.rank, label: several(one), usd: one.usd, low: end(one.seconds_low), high: end(one.seconds_high), hours: one.seconds / 3600,
      provider: providerName(providers, one.provider), order, is_first: isFastest || order === 0, is_unranked: false,
    };
  }

  function queryOf({ workload, acquisition }) {
    const asked = `workload = '${workload.replaceAll("'", "''")}'`;
    if (acquisition === "rent") return firstQuery().replace(/workload = '.*'/, () => asked);
    return `SELECT least_gpu_id, o.kind, o.usd, o.price_date, w.seconds\nFROM offer_current AS o\nJOIN workload_time AS w ON w.gpu_id = o.least_gpu_id\n`
      + `WHERE acquisition = 'buy' AND ${asked}\nORDER BY o.usd`;
  }

  /* `asked`: the question; `job`: its name; `cheapest`: the ranked choices by cost, each with the USD for the job and the number of GPUs. */
  function jobCost(asked, job, cheapest, fastest, providers) {
    if (!document.getElementById(NAME)) return;
    const shown = cheapest.filter((one, at) => at < SHOWN || one.gpu_id === fastest.gpu_id);
    const points = shown.map((one, order) => pointOf(one, order, one.gpu_id === fastest.gpu_id, providers));
    const [first] = points;
    show({
      points, sql: queryOf(asked),
      title: first && gettext("{gpu} costs least: {usd} for the job", { gpu: first.label, usd: usd(first.usd) }),
      finding: gettext("{job}. The lowest costs among {count} GPUs that fit, and the fastest GPU.", { job, count: cheapest.length }),
    });
  }

  window.gpuledger.jobCost = jobCost;
})();
