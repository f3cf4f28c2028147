/* The recommendation of pipeline/recommend/language_model.py in the browser, function by function: GPUs on which a language model fits, on the number
   of GPUs that makes tokens cheapest, ranked, and unranked ones after them. A test compares the answers of both. `data` are the tables of llm-data.js; `asked` has
   per type of weights the question and its rates, the rows of one model, type and use. Exports `gpuledger.llmChoose(data, asked, objective)` and
   `gpuledger.llmCheaper(data, choices)`. */
(() => {
  "use strict";
  const { llmFit, numbers: { fixed } } = window.gpuledger;
  const COUNTS = [1, 2, 4, 8];
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const NO_PRICE = "no current on-demand price is known";
  const NO_SPEED = "its speed with this model is not known";
  const NOT_MEASURED = "no GPU of its kind was measured with such weights";
  const UNPRICED = { usd_per_hour: null, provider: null, price_date: null, variant_stated: true };
  const NARROW = ["fp8", "fp4"];
  const PACKED = ["mxfp4", "int4"];
  const usdPerMillion = (usdPerHour, tokensPerS) => (usdPerHour !== null && tokensPerS ? (usdPerHour / (tokensPerS * 3600)) * 1e6 : null);
  const placeOf = (row) => `${row.gpu_id} ${row.gpu_count}`;
  const byPlace = (rows) => new Map(rows.map((row) => [placeOf(row), row]));

  function choice({ gpu, count, fit }, rate) {
    const { usd_per_hour: usd, tokens_per_s: speed = null, low = null, high = null, basis = null, unranked = false, copies = 1 } = rate;
    return {
      rank: null, gpu_id: gpu.gpu_id, name: gpu.name, memory_gb: gpu.memory_gb, usable_gb: fit.usable_gb, gpus: count * copies, at_once: fit.at_once, needed_gb: fit.gpu_gb,
      tokens_per_s: speed, low, high, basis, unranked, copies, usd_per_hour: usd, usd_per_million: usdPerMillion(usd, speed),
      usd_per_million_low: usdPerMillion(usd, high), usd_per_million_high: usdPerMillion(usd, low),
      provider: rate.provider, price_date: rate.price_date, variant_stated: rate.variant_stated, billing: rate.billing ?? "on_demand", reason: "",
    };
  }

  function keys(one, objective) {
    const both = [one.usd_per_million ?? one.usd_per_hour, -(one.tokens_per_s ?? 0)];
    return objective === "cheapest" ? both : both.reverse();
  }

  function compare(objective, last) {
    return (a, b) => {
      const [x, y] = [keys(a, objective), keys(b, objective)];
      return order(a.unranked, b.unranked) || order(x[0], y[0]) || order(x[1], y[1]) || order(last(a), last(b));
    };
  }

  /* Why a GPU is not compared by its price where no speed is known; empty if it is. */
  function notCompared({ engine, runs }, question, gpu) {
    if (question.tune) return "";
    if (!runs) return runs === false ? `${engine} does not run on it` : `whether ${engine} runs on it is not known`;
    const lacks = (types, has) => types.includes(question.quantization) && !has;
    return lacks(NARROW, gpu.has_fp8) || lacks(PACKED, gpu.runs_packed) ? NOT_MEASURED : "";
  }

  const memoryReason = ({ count, fit }) => `needs ${fixed(fit.gpu_gb, 1)} GB on each of ${count} GPUs, ${fixed(fit.usable_gb, 1)} GB usable`;

  /* The fewest GPUs; where more have room for more requests, the number that is fastest per GPU. */
  function mostPerGpu(known, rates) {
    const perGpu = (one) => rates.get(placeOf(one)).tokens_per_s / (one.count * (rates.get(placeOf(one)).copies ?? 1));
    return known[0].fit.at_once === known.at(-1).fit.at_once ? known[0] : [...known].sort((a, b) => order(perGpu(b), perGpu(a)))[0];
  }

  /* The best number of this GPU that fits and has a price, or the first limit that none meets, with the speed of one that only lacks a price.
     `priced` is null where no speed has a price. */
  function best(data, question, gpu, priced, rates, offers, objective) {
    const counted = COUNTS.map((count) => ({ gpu, gpu_id: gpu.gpu_id, gpu_count: count, count, fit: llmFit(data, { ...question, gpus: count }, gpu) }));
    const fitting = counted.filter(({ fit }) => fit.fits);
    const reason = notCompared(counted[0].fit, question, gpu);
    const usable = priced ?? (reason ? new Map() : offers);
    const running = fitting.filter((one) => usable.has(placeOf(one))).map((one) => choice(one, usable.get(placeOf(one))));
    if (running.length) return running.sort(compare(objective, (one) => one.gpus))[0];
    const known = fitting.filter((one) => rates.has(placeOf(one)));
    if (known.length) {
      const most = mostPerGpu(known, rates);
      return { ...choice(most, rates.get(placeOf(most))), reason: NO_PRICE };
    }
    const [shown] = fitting.length ? fitting : counted.filter(({ fit }) => fit.gpu_gb !== null).sort((a, b) => order(a.fit.gpu_gb, b.fit.gpu_gb));
    const lacking = reason || (fitting.some((one) => offers.has(placeOf(one))) ? NO_SPEED : NO_PRICE);
    return { ...choice(shown, UNPRICED), at_once: fitting.length ? shown.fit.at_once : null, gpus: fitting.length && !reason ? shown.count : null, reason: fitting.length ? lacking : memoryReason(shown) };
  }

  function eachGpu(data, [question, rates], objective) {
    const [rateOf, offerOf, pricedOf] = [rates, data.offer, rates.filter((row) => row.usd_per_hour !== null)].map(byPlace);
    return data.gpu.map((gpu) => ({ ...best(data, question, gpu, pricedOf.size ? pricedOf : null, rateOf, offerOf, objective), quantization: question.quantization }));
  }

  /* the order of the types on one GPU: ranked ones, unranked ones, one with a speed, the one that lacks least memory */
  function compareTypes(objective) {
    const both = compare(objective, () => 0);
    return (a, b) => order(a.reason !== "", b.reason !== "") || (a.reason ? order(a.tokens_per_s === null, b.tokens_per_s === null) || order(a.needed_gb ?? 0, b.needed_gb ?? 0) : both(a, b));
  }

  /* Every GPU with its best type and the fields of a RankedGpu: those with a rank first, by rank, then unranked ones, then those that miss a limit, by
     gpu_id. Types without any speed at a price count only if none has one. */
  function llmChoose(data, asked, objective = "cheapest") {
    const known = asked.filter(([, rates]) => rates.some((row) => row.usd_per_hour !== null));
    const byType = (known.length ? known : asked).map((one) => eachGpu(data, one, objective));
    const found = data.gpu.map((_, at) => byType.map((choices) => choices[at]).sort(compareTypes(objective))[0]);
    const running = found.filter((one) => !one.reason).sort(compare(objective, (one) => one.gpu_id));
    return [...running.map((one, at) => ({ ...one, rank: one.unranked ? null : at + 1 })), ...found.filter((one) => one.reason)];
  }

  function onTerms(one, offer) {
    const { usd_per_hour: usd, provider, price_date, variant_stated, billing } = offer;
    return {
      ...one, usd_per_hour: usd, usd_per_million: usdPerMillion(usd, one.tokens_per_s), usd_per_million_low: usdPerMillion(usd, one.high),
      usd_per_million_high: usdPerMillion(usd, one.low), provider, price_date, variant_stated, billing, reason: "",
    };
  }

  /* The GPU whose tokens cost least on other terms than on demand, null where one costs as little on demand or none has a rank; as
     find_cheaper of pipeline/recommend/other_billing.py. */
  function llmCheaper(data, choices) {
    const ranked = choices.filter((one) => one.rank && one.tokens_per_s);
    const unpriced = choices.filter((one) => one.reason === NO_PRICE && one.tokens_per_s && !one.unranked);
    const offers = byPlace(data.other_offer);
    const offerOf = (one) => offers.get(placeOf({ gpu_id: one.gpu_id, gpu_count: one.gpus }));
    const others = [...ranked, ...unpriced].filter(offerOf).map((one) => onTerms(one, offerOf(one)));
    const lowest = Math.min(...ranked.map((one) => one.usd_per_million));
    const [best] = others.sort((a, b) => order(a.usd_per_million, b.usd_per_million) || order(a.gpu_id, b.gpu_id));
    return best && ranked.length && best.usd_per_million < lowest ? best : null;
  }

  Object.assign(window.gpuledger, { llmCheaper, llmChoose });
})();
