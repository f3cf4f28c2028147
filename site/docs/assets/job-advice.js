/* The advice of the form for training jobs, as pipeline/website/components/recommend/job_advice.py writes it: what to rent or buy from whom,
   or what is missing for an answer. Exports `gpuledger.jobAdvice`. */
(() => {
  "use strict";
  const { gettext, sentences, numbers: { day, usd }, parts: { counted, longTime, plainName, providerName } } = window.gpuledger;
  const recommend = (...args) => window.gpuledger.recommend(...args); // loaded with the tables

  const rented = (asked) => asked.acquisition === "rent";
  const owned = (choice) => choice.system_usd + (choice.electricity_usd ?? 0);
  const jobUsd = (asked, choice) => (rented(asked) ? choice.cost_usd : (owned(choice) * choice.seconds) / (asked.hours * 3600));
  const timeOf = (choice) => longTime(choice.seconds / 3600);
  const several = (asked, choice) => ({ ...choice, gpus: asked.gpus });

  /* Older prices are offered where a GPU lacks a current one alone, and none is ranked. */
  const lacksCurrentPrice = ({ reason }) => reason.startsWith("no purchase price of the past year") || reason.startsWith("no current offer: ");
  const isCurrentPurchase = (offer) => offer.acquisition === "buy" && offer.kind !== "msrp" && !offer.stale;

  /* between which dates the prices are that are ranked together */
  function datesOf(choices) {
    const dates = choices.map((choice) => choice.price_date).sort();
    return { first: day(dates[0]), last: day(dates.at(-1)) };
  }

  function dated(asked, cheapest) {
    const [best] = cheapest;
    const { first, last } = datesOf(cheapest);
    if (!rented(asked) && first !== last) return gettext("The prices are of {first} to {last}.", { first, last });
    return !rented(asked) || best.stale ? gettext("The price is of {date}.", { date: day(best.price_date) }) : "";
  }

  /* Sentences on the cheapest and the fastest choice; without one, what is missing. `left`: the GPUs without a rank; `labelOf`: the label of an input. */
  function advice(data, asked, { cheapest, fastest, left }, labelOf) {
    const [best] = cheapest;
    if (!best) return outdated(data, asked, left) ?? nearest(asked, left) ?? sentences(gettext("No GPU meets every limit."), drop(data, asked, labelOf));
    const values = { gpu: counted(several(asked, best)), provider: providerName(data.provider, best.provider), count: cheapest.length, time: timeOf(best) };
    const first = rented(asked)
      ? gettext("Rent {gpu} from {provider}: {usd} for the job in {time}.", { ...values, usd: usd(best.cost_usd) })
      : gettext("Buy {gpu} for {usd} ({provider}).", { ...values, usd: usd(best.price_usd * asked.gpus) });
    const term = best.commitment_months && gettext("The price needs a commitment of {count} months.", { count: best.commitment_months });
    if (cheapest.length === 1) return sentences(first, term, dated(asked, cheapest), gettext("No other GPU has a rank."));
    return sentences(first, term, dated(asked, cheapest), place(asked, values), second(asked, best, fastest[0]));
  }

  /* what is known where every price is too old; null where one is not */
  function outdated(data, asked, left) {
    const [last] = left.filter(lacksCurrentPrice).sort((a, b) => a.cost_usd - b.cost_usd || (a.gpu_id < b.gpu_id ? -1 : 1));
    if (!last || (!rented(asked) && data.offer_current.some(isCurrentPurchase))) return null;
    if (!rented(asked)) return gettext("No purchase price is from the last 12 months, so no GPU is ranked. You can use older prices.");
    const values = { gpu: counted(several(asked, last)), provider: providerName(data.provider, last.provider) };
    const terms = { usd: usd(last.price_usd * asked.gpus), date: day(last.price_date) };
    return gettext("No GPU that can be ranked has a current offer on these terms. The last known is {gpu} from {provider} at {usd} an hour, of {date}.", { ...values, ...terms });
  }

  function place(asked, values) {
    if (!rented(asked)) return gettext("Your work costs least on it, out of {count} ranked GPUs.", values);
    return asked.billing === "on_demand" ? gettext("That is the lowest on-demand cost among {count} ranked GPUs.", values) : gettext("That is the lowest cost among {count} ranked GPUs.", values);
  }

  function second(asked, best, fast) {
    if (fast.gpu_id === best.gpu_id) return gettext("It is also the fastest.");
    return gettext("Fastest: {gpu}, {time} for {usd}.", { gpu: counted(several(asked, fast)), time: timeOf(fast), usd: usd(jobUsd(asked, fast)) });
  }

  /* the factor by which a GPU misses the limits on memory and budget, 1 for one that misses another limit */
  const missedBy = (asked, { memory_gb: gb, cost_usd: cost }) => Math.max(1, (asked.min_memory_gb ?? 0) / (gb ?? 1), cost / (asked.budget_usd ?? Infinity));

  /* the GPU with a time and a price that misses the limits by least, the cheapest of equal ones; none of another vendor */
  function nearest(asked, left) {
    const [one] = left.filter((choice) => choice.seconds !== null && choice.cost_usd !== null && !choice.reason.startsWith("made by "))
      .sort((a, b) => missedBy(asked, a) - missedBy(asked, b) || a.cost_usd - b.cost_usd || (a.gpu_id < b.gpu_id ? -1 : 1));
    if (!one) return null;
    const reason = window.gpuledger.gettextFigures(one.reason);
    return sentences(gettext("No GPU meets every limit."), gettext("Nearest: {gpu}: {reason}.", { gpu: plainName(one), reason }));
  }

  /* the question without one of its limits, by the input of the limit */
  const without = {
    provider: { provider: null }, billing: { billing: "on_demand,spot,marketplace" }, gpus: { gpus: 1 }, memory: { min_memory_gb: null }, vendor: { vendor: null },
    slots: { max_slots: null }, watts: { max_watts: null }, cuda: { min_cuda: null }, centre: { data_centre: false }, budget: { budget_usd: null },
  };

  /* The limits of which one is enough to drop for an answer. */
  function drop(data, asked, labelOf) {
    const enough = Object.keys(without).filter((name) => recommend(data, { ...asked, ...without[name] })[0]?.rank);
    if (!enough.length) return gettext("Remove several limits.");
    return gettext("For an answer, change one of these: {limits}.", { limits: enough.map(labelOf).join(gettext(", ")) });
  }

  window.gpuledger.jobAdvice = { advice, datesOf, jobUsd, lacksCurrentPrice, rented, several, timeOf };
})();
