/* Advice on language models, as pipeline/website/components/llm/llm_advice.py writes it.
   Exports `llmAdvice`, `llmOtherTerms` and `llmToBuy`. */
(() => {
  "use strict";
  const { gettext, llmMachine, sentences, numbers: { number, usd }, parts: { cheaperTerms, counted, gpuName, longTime, providerName, span } } = window.gpuledger;

  const jobUsd = (one, asked) => usd(one.usd_per_million * asked.millions);
  const jobTime = (one, asked) => longTime((asked.millions * 1e6) / one.tokens_per_s / 3600);

  const first = (asked, best, values) => (asked.tune
    ? gettext("Rent {gpu} from {provider}: {usd} for the job in {time}.", { ...values, usd: jobUsd(best, asked), time: jobTime(best, asked) })
    : gettext("Rent {gpu} from {provider}: {usd} per million tokens.", { ...values, usd: usd(best.usd_per_million) }));

  function place(asked, count) {
    if (count === 1) return gettext("No other GPU has a rank.");
    const values = { count: number(count) };
    return asked.objective === "fastest" ? gettext("That is the highest speed among {count} ranked GPUs.", values) : gettext("That is the lowest on-demand cost among {count} ranked GPUs.", values);
  }

  const stored = (asked, best) => (asked.isBest ? [gettext("Weights: {type}.", { type: asked.titles.get(best.quantization) })] : []);

  function speed(asked, best) {
    const requests = best.at_once * best.copies;
    const each = best.tokens_per_s / requests;
    const values = { speed: number(best.tokens_per_s, 3), requests: number(requests), each: number(each, 2), copies: best.copies };
    if (best.copies > 1) return gettext("Speed: {speed} tokens/s for {requests} requests at a time in {copies} copies of the model, or {each} for each.", values);
    if (asked.users > 1) return gettext("Speed: {speed} tokens/s for {requests} requests at a time, or {each} for each.", values);
    return each >= asked.reading ? gettext("Its {speed} tokens/s are faster than you can read.", values) : gettext("Its {speed} tokens/s are slower than you read.", values);
  }

  const halfPrecision = (asked, best) => (asked.lacksBf16(best) ? [gettext("It has no BF16, so it trains in FP16 with loss scaling.")] : []);

  const KEYS = {
    cheapest: (one) => [one.usd_per_million, -one.tokens_per_s],
    fastest: (one) => [-one.tokens_per_s, one.usd_per_million],
  };

  const byKey = (key) => (a, b) => key(a).reduce((found, value, at) => found || value - key(b)[at], 0) || (a.gpu_id < b.gpu_id ? -1 : 1);

  function firstBy(name, placed) {
    return [...placed].sort(byKey(KEYS[name]))[0];
  }

  function other(asked, placed) {
    if (placed.length === 1) return "";
    const fastest = asked.objective === "fastest";
    const found = firstBy(fastest ? "cheapest" : "fastest", placed);
    if (found.gpu_id === placed[0].gpu_id) return fastest ? gettext("It is also the cheapest.") : gettext("It is also the fastest.");
    if (asked.tune) {
      const values = { gpu: counted(found), usd: jobUsd(found, asked), time: jobTime(found, asked) };
      return fastest ? gettext("Cheapest: {gpu}, {usd} in {time}.", values) : gettext("Fastest: {gpu}, {time} for {usd}.", values);
    }
    const values = { gpu: counted(found), usd: usd(found.usd_per_million), speed: number(found.tokens_per_s, 3) };
    return fastest ? gettext("Cheapest: {gpu}, {usd} per million at {speed} tokens/s.", values) : gettext("Fastest: {gpu}, {speed} tokens/s at {usd} per million.", values);
  }

  const lacking = (one) => Math.max(0, one.needed_gb - one.usable_gb);

  /* Why no GPU runs the model: one has enough memory, and lacks a speed or a price; else the one that lacks least memory. */
  function nearest(asked, left) {
    const text = gettext("No GPU in these data runs {model} as {type} at a known speed and price.", { model: asked.name, type: asked.type });
    const [one] = left.filter((choice) => choice.needed_gb !== null)
      .sort((a, b) => lacking(a) - lacking(b) || a.usable_gb - b.usable_gb || (a.gpu_id < b.gpu_id ? -1 : 1));
    if (!one) return text;
    const values = { gpu: gpuName(one), reason: window.gpuledger.gettextFigures(one.reason) };
    return sentences(text, lacking(one) ? gettext("Nearest: {gpu}: {reason}.", values) : gettext("{gpu} has enough memory, but {reason}.", values));
  }

  /* What a prediction costs, with its range, as the tile of renting does. */
  function uncertainCost(asked, one) {
    const costs = [one.usd_per_million, one.usd_per_million_low, one.usd_per_million_high].map((value) => usd(value * asked.millions));
    if (asked.tune) return gettext("{usd} for the job ({costs}) in {time}, {basis}", { usd: costs[0], costs: span(...costs.slice(1)), time: jobTime(one, asked), basis: gettext("predicted") });
    const values = { usd: costs[0], speed: number(one.tokens_per_s, 3), range: span(number(one.low, 3), number(one.high, 3)) };
    return gettext("{usd} per million tokens at {speed} tokens/s ({range})", values);
  }

  /* The unranked GPUs beside the ranked ones, and the cheapest of them, if it may cost less than the best with a rank. */
  function uncertain(asked, best, unranked) {
    const found = firstBy("cheapest", unranked);
    if (!found || found.usd_per_million_low >= best.usd_per_million) return [];
    const values = { count: number(unranked.length), gpu: counted(found), cost: uncertainCost(asked, found) };
    return [gettext("GPUs that fit without a rank, because their predicted speed spans more than a factor of 2: {count}. The cheapest: {gpu}, {cost}.", values)];
  }

  /* The first unranked GPU, where none has a rank. */
  function unrankedOnly(asked, [first], provider) {
    const values = { model: asked.name, type: asked.type, gpu: counted(first), provider, cost: uncertainCost(asked, first) };
    const text = gettext("No GPU has a rank for {model} as {type} in this use: every speed is a prediction that spans more than a factor of 2.", values);
    return sentences(text, gettext("First by prediction: {gpu} from {provider}, {cost}.", values), ...stored(asked, first));
  }

  /* The first by price per hour, where the page has no speed, and why it has none. It is no advice: its speed may be too low. */
  function byPrice(asked, best, values) {
    const all = { ...values, usd: usd(best.usd_per_hour) };
    const first = values.count === "1" ? gettext("The only machine that holds the model at a known price: {gpu} from {provider}, {usd} an hour.", all)
      : gettext("Cheapest machine that holds the model, out of {count} GPUs: {gpu} from {provider}, {usd} an hour.", all);
    return sentences(first, ...stored(asked, best), gettext("This page has no speed of this model with these weights, so the list is in order of price per hour."));
  }

  /* `asked`: the question with the name of the model, titles of stored types, and the reading speed.
     `running`: GPUs that fit, ranked ones first. */
  function llmAdvice(asked, running, left, providers) {
    if (!running.length) return nearest(asked, left);
    const [placed, unranked] = [running.filter((one) => one.rank), running.filter((one) => one.unranked)];
    if (!placed.length) return unrankedOnly(asked, unranked, providerName(providers, unranked[0].provider));
    const [best] = placed;
    const values = { gpu: counted(best), provider: providerName(providers, best.provider), count: number(placed.length) };
    if (best.tokens_per_s === null) return byPrice(asked, best, values);
    const unstated = best.variant_stated ? [] : [gettext("The offer does not state the variant: ask {provider} which one it is.", values)];
    const pace = asked.tune ? halfPrecision(asked, best) : [speed(asked, best)];
    return sentences(first(asked, best, values), place(asked, placed.length), ...stored(asked, best), ...unstated, ...pace, other(asked, placed), ...uncertain(asked, best, unranked));
  }

  /* A cheaper rental than on demand, with what its terms do not promise; the tile names provider and day below. */
  function llmOtherTerms(asked, one) {
    const cost = asked.tune ? gettext("{usd} for the job", { usd: jobUsd(one, asked) }) : gettext("{usd} per million tokens", { usd: usd(one.usd_per_million) });
    return cheaperTerms(one.billing, { gpu: counted(one), price: usd(one.usd_per_hour), cost });
  }

  /* The GPUs to buy, in order, as `to_buy` of pipeline/recommend/to_buy.py. */
  function llmToBuy(data, choices) {
    const priceOf = new Map(data.purchase.filter((row) => !row.estimated).reverse().map((row) => [row.gpu_id, row]));
    const found = choices.filter((one) => one.tokens_per_s && priceOf.has(one.gpu_id) && llmMachine(data, one)).map((one) => {
      const price = priceOf.get(one.gpu_id), cost = one.gpus * price.usd;
      return { ...one, price, usd: cost, usd_per_token_s: (cost + llmMachine(data, one)) / one.tokens_per_s };
    });
    return found.sort(byKey((one) => [Number(one.price.is_old), Number(one.unranked), one.usd_per_token_s]));
  }

  Object.assign(window.gpuledger, { llmAdvice, llmOtherTerms, llmToBuy });
})();
