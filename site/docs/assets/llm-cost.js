/* The rows and texts of the chart of costs for a question, as pipeline/website/components/llm/llm_cost_figure.py writes them.
   Exports `gpuledger.llmCost`. */
(() => {
  "use strict";
  const NAME = "llm-cost";
  const SHOWN = 10;
  const { gettext, costChart, numbers: { number, usd }, parts: { several, providerName } } = window.gpuledger;
  const { show, firstQuery } = costChart(NAME, ".gl-run-llm", "speed", gettext("Tokens/s"));

  function pointOf(one, order, asked, providers) {
    const cost = (value) => (value === null ? null : value * asked.millions);
    return {
      rank: one.rank, label: several(one), usd: cost(one.usd_per_million), low: cost(one.usd_per_million_low),
      high: cost(one.usd_per_million_high), speed: one.tokens_per_s, provider: providerName(providers, one.provider), order, is_first: one.rank === 1, is_unranked: one.unranked,
    };
  }

  function titleOf(cheapest, asked) {
    const values = { gpu: cheapest.label, usd: usd(cheapest.usd) };
    if (cheapest.is_unranked) return gettext("Predicted, not ranked: {gpu} costs {usd}", values);
    return asked.tune ? gettext("{gpu} costs least: {usd} for the job", values) : gettext("{gpu} costs least: {usd} per million tokens", values);
  }

  /* The query of the question: the first one's with other names, or that of fine-tuning. */
  function queryOf(asked) {
    const model = `llm_model_id = '${asked.model}'`;
    if (asked.tune) return `SELECT * FROM llm_tuning_cost\nWHERE ${model} AND tune = '${asked.tune}' AND NOT price_stale\nORDER BY usd_per_job`;
    const types = [...asked.titles.keys()].map((name) => "'" + name + "'").join(", ");
    return firstQuery().replace(/llm_model_id = .*/, `${model} AND r.quantization IN (${types}) AND r.use = '${asked.use}'`);
  }

  /* `asked`: the question as of `llmAdvice`; `question`: its words. The figure is hidden where no cost is known. */
  function llmCost(asked, question, running, providers) {
    if (!document.getElementById(NAME)) return;
    const points = running.slice(0, SHOWN).filter((one) => one.usd_per_million !== null).map((one, order) => pointOf(one, order, asked, providers));
    if (!points.length) return show({ points });
    const sure = points.filter((one) => !one.is_unranked);
    const cheapest = (sure.length ? sure : points).reduce((least, one) => (one.usd < least.usd ? one : least));
    const finding = running.length === 1 ? gettext("{question}. The only GPU that fits and has a price.", { question })
      : gettext("{question}. The first {shown} of {count} GPUs that fit and have a price.", { question, shown: number(points.length), count: number(running.length) });
    show({ points, title: titleOf(cheapest, asked), finding, sql: queryOf(asked) });
  }

  window.gpuledger.llmCost = llmCost;
})();
