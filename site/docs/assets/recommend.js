/* The rules of `gpuledger recommend` in the browser: pipeline/metrics/value/scenario_rank.sql, step by step under the same names, for one question.
   A test compares the answers of both. `data` are the tables that the SQL reads, as rows; null is unknown, as in SQL.
   Exports `gpuledger.recommend(data, question)`. */
(() => {
  "use strict";
  const { fixed, general } = window.gpuledger.numbers;
  const { machineW, maxGpusInSlots, usdPerRun } = window.gpuledger.formulas;
  const GEFORCE = ["consumer", "laptop"];

  const known = (...values) => values.every((value) => value !== null);
  const above = (a, b) => known(a, b) && a > b;
  const differs = (a, b) => known(a, b) && a.toLowerCase() !== b.toLowerCase();
  const times = (...values) => (known(...values) ? values.reduce((product, value) => product * value) : null);

  function asked(question) {
    const gpus = question.gpus;
    const scaledGpus = [2, 4, 8].find((count) => gpus <= count) ?? null;
    return { ...question, scaledGpus, baseGpus: gpus > 4 ? 8 : scaledGpus - (gpus === 1 ? 1 : 0) };
  }

  /* By GPU: the first offer that is small enough, and the smallest lot of all. Offers are in order of preference. */
  function onTerms(data, a) {
    const terms = new Map();
    const billings = a.billing.split(",");
    for (const o of data.offer_current) {
      const fromThere = a.provider === null || o.provider?.toLowerCase() === a.provider.toLowerCase();
      if (!fromThere || o.acquisition !== a.acquisition || (a.acquisition === "rent" && !billings.includes(o.billing))) continue;
      const found = terms.get(o.gpu_id) ?? { firstOffer: null, leastLot: null };
      const isEnough = o.min_gpus === null ? a.gpus === 1 || !["spot", "marketplace"].includes(o.billing) : o.min_gpus <= a.gpus;
      if (isEnough) found.firstOffer ??= o;
      if (o.min_gpus !== null) found.leastLot = Math.min(o.min_gpus, found.leastLot ?? Infinity);
      terms.set(o.gpu_id, found);
    }
    return terms;
  }

  function host(data) {
    const value = (name) => data.assumption.find((one) => one.assumption_id === name).value;
    return { hostW: value("host_w"), gpusPerHostW: value("gpus_per_host_w") };
  }

  function scaling(data, a, g, w) {
    if (a.gpus === 1 || w?.kind === "specification") return { efficiency: 1 };
    const link = data.gpu_interconnect.find((l) => l.gpu_id === g.gpu_id)?.interconnect;
    return data.scaling_efficiency.find((e) => w && e.interconnect === link && e.gpu_count === a.scaledGpus
      && e.family === w.family && e.precision === w.precision) ?? { efficiency: null };
  }

  function machineKw(data, a, g) {
    const { hostW, gpusPerHostW } = host(data);
    return g.tdp_w === null ? null : machineW(a.gpus, g.tdp_w, hostW, gpusPerHostW) / 1000;
  }

  function candidate(data, a) {
    const terms = onTerms(data, a);
    const speeds = new Map(data.workload_time.filter((w) => w.workload === a.workload).map((w) => [w.gpu_id, w]));
    const ranMemoryGb = data.workload_memory.find((m) => m.workload === a.workload)?.ran_memory_gb ?? null;
    const base = data.base_system_cost.find((b) => b.gpu_count === a.baseGpus).base_cost_usd;
    return data.gpu.map((g) => {
      const w = speeds.get(g.gpu_id);
      const { firstOffer: o, leastLot } = terms.get(g.gpu_id) ?? { firstOffer: null, leastLot: null };
      const share = (seconds) => (w && known(seconds, w.seconds) ? seconds / w.seconds : null);
      const gpusUsd = times(a.gpus, o?.usd ?? null);
      return {
        a, g, o, leastLot, isOffered: terms.has(g.gpu_id), workloadKind: w?.kind ?? null, status: w?.status ?? null, ranMemoryGb, basis: w?.basis ?? null,
        secondsOnOne: w?.seconds ?? null, low: w ? share(w.seconds_low) : null, high: w ? share(w.seconds_high) : null,
        ...scaling(data, a, g, w), gpusUsd,
        systemUsd: a.acquisition === "buy" && gpusUsd !== null ? gpusUsd + base * Math.ceil(a.gpus / 8) : null,
        machineKw: machineKw(data, a, g),
      };
    });
  }

  function costed(c) {
    const seconds = known(c.secondsOnOne, c.efficiency) ? c.secondsOnOne / (c.a.gpus * c.efficiency) : null;
    const costUsd = c.a.acquisition === "rent" ? usdPerRun(c.gpusUsd, seconds) : c.gpusUsd;
    const paidHours = c.a.hours ?? (seconds === null ? null : seconds / 3600);
    const electricityUsd = c.a.acquisition === "buy" ? times(c.machineKw, paidHours, c.a.usd_per_kwh) : null;
    const owned = known(c.systemUsd) ? c.systemUsd + (electricityUsd ?? 0) : null;
    const outlayUsd = times(c.gpusUsd, c.a.acquisition === "rent" ? paidHours : 1);
    return { ...c, seconds, costUsd, paidHours, electricityUsd, outlayUsd, perResult: c.a.acquisition === "rent" ? costUsd : times(owned, seconds) };
  }

  const newer = (needed, atHand) => {
    const [x, y] = [needed, atHand].map((text) => text.split(".").map(Number));
    const at = x.findIndex((part, place) => part !== y[place]);
    return at >= 0 && (y[at] === undefined || x[at] > y[at]);
  };

  /* The limits in order; each returns the reason why it is missed, or null. */
  const hoursText = ({ a, paidHours }) => (a.acquisition === "rent" ? ` x ${paidHours < 1000 ? general(paidHours, 4) : fixed(paidHours, 0)} h` : "");

  const LIMITS = [
    ({ status, basis }) => status === "oom" && basis === "measured" && "ran out of memory on this workload",
    ({ g, status }) => status === "oom" && `${general(g.memory_gb)} GB of memory: a GPU with that much ran out of memory`,
    ({ a, g }) => above(a.min_memory_gb, g.memory_gb) && `${general(g.memory_gb)} GB of memory, ${general(a.min_memory_gb)} GB asked for`,
    ({ a, g }) => a.min_memory_gb !== null && g.memory_gb === null && "its memory is not known",
    ({ a, g }) => a.data_centre && g.vendor === "NVIDIA" && GEFORCE.includes(g.segment) && "the vendor's driver licence does not allow GeForce and Titan in data centers",
    ({ a, g }) => differs(g.vendor, a.vendor) && `made by ${g.vendor}, ${a.vendor} asked for`,
    ({ a, g }) => a.min_cuda !== null && g.min_cuda_version === null && "not known to support CUDA",
    ({ a, g }) => known(a.min_cuda, g.min_cuda_version) && newer(g.min_cuda_version, a.min_cuda)
      && `needs CUDA ${g.min_cuda_version}, ${a.min_cuda} at hand`,
    ({ a, g }) => known(a.min_cuda, g.max_cuda_version) && newer(a.min_cuda, g.max_cuda_version) && !`${a.min_cuda}.`.startsWith(`${g.max_cuda_version}.`)
      && `runs CUDA up to ${g.max_cuda_version}, ${a.min_cuda} at hand`,
    ({ a, g }) => a.max_slots !== null && g.is_module && "a module, which no slot takes",
    ({ a, g }) => a.max_slots !== null && g.slot_width === null && "how many slots it covers is not known",
    ({ a, g }) => above(a.gpus, maxGpusInSlots(times(a.max_slots, 0.5), g.slot_width))
      && `${general(g.slot_width)} slots wide: ${a.gpus} x it do not fit ${general(a.max_slots)} slots`,
    ({ a, g }) => a.gpus > 1 && g.is_alone && "a machine has only one of it",
    ({ a, g }) => a.max_watts !== null && g.tdp_w === null && "its power limit is not known",
    ({ a, g }) => above(times(a.gpus, g.tdp_w), a.max_watts)
      && `${a.gpus} x ${general(g.tdp_w)} W = ${general(a.gpus * g.tdp_w)} W, above ${general(a.max_watts)} W`,
    ({ a, g }) => a.acquisition === "buy" && a.usd_per_kwh !== null && g.tdp_w === null && "its electricity is not known: no power limit is stated",
    ({ g, status, ranMemoryGb }) => status === null && above(ranMemoryGb, g.memory_gb)
      && `${general(g.memory_gb)} GB of memory: measured only on GPUs with ${general(ranMemoryGb)} GB or more`,
    ({ status }) => status === null && "no speed or memory data for this workload",
    ({ basis, high, workloadKind }) => basis === "predicted" && high === null && workloadKind !== "specification"
      && "prediction too uncertain: no similar GPU was measured",
    ({ a, efficiency }) => efficiency === null && `scaling to ${a.gpus} GPUs was not measured on a similar GPU`,
    ({ a, ci_low: low, ci_high: high }) => high > 2 * low && `scaling to ${a.gpus} GPUs is too uncertain: ${fixed(100 * low, 0)}% to ${fixed(100 * high, 0)}% on similar GPUs`,
    ({ a, o }) => o === null && a.acquisition === "buy" && "no purchase price is known",
    ({ a, o }) => a.acquisition === "buy" && !a.older_prices && o.kind === "msrp"
      && `no purchase price of the past year: the launch price is of ${o.price_date}`,
    ({ a, o }) => a.acquisition === "buy" && !a.older_prices && o.stale && `no purchase price of the past year: the newest is of ${o.price_date}`,
    ({ a, o }) => a.acquisition === "buy" && a.older_prices && o.in_purchase_range === false
      && `its newest price, of ${o.price_date}, is outside the year that this ranking compares`,
    ({ o, leastLot }) => o === null && leastLot !== null && `only rented as ${leastLot} GPUs or more`,
    ({ o, isOffered }) => o === null && isOffered && "no offer on these terms states several GPUs",
    ({ o }) => o === null && "no offer on these terms is for this GPU",
    (c) => above(c.outlayUsd, c.a.budget_usd)
      && `${c.a.gpus} x ${fixed(c.o.usd, 2)} USD${hoursText(c)} = ${fixed(c.outlayUsd, 2)} USD, above the budget of ${fixed(c.a.budget_usd, 2)} USD`,
  ];

  const rankable = ({ workloadKind, basis, low, high }) => workloadKind === "specification" || basis === "measured" || high <= 2 * low;

  function assessed(c) {
    for (const limit of LIMITS) {
      const limitMissed = limit(c);
      if (limitMissed) return { ...c, limitMissed, unranked: false };
    }
    return { ...c, limitMissed: null, unranked: !rankable(c) };
  }

  function decided(candidates) {
    const anyCurrent = candidates.some((c) => c.limitMissed === null && !c.unranked && !c.o.stale);
    return candidates.map((c) => (c.limitMissed === null && c.a.acquisition === "rent" && c.o.stale && (anyCurrent || !c.a.older_prices)
      ? { ...c, limitMissed: `no current offer: its newest price is of ${c.o.price_date}`, unranked: false } : c));
  }

  const KEYS = {
    fastest: (c) => c.seconds,
    memory: (c) => (c.g.memory_gb === null ? Infinity : -c.g.memory_gb),
    memory_per_usd: (c) => (c.g.memory_gb === null ? Infinity : c.o.usd / c.g.memory_gb),
    cheapest: (c) => c.perResult,
  };
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function fit(candidates, objective) {
    const left = candidates.filter((c) => c.limitMissed === null && !c.unranked);
    const key = KEYS[objective];
    left.sort((x, y) => order(key(x), key(y)) || order(x.perResult, y.perResult) || order(x.seconds, y.seconds) || order(x.g.gpu_id, y.g.gpu_id));
    const least = { seconds: Math.min(...left.map((c) => c.seconds)), perResult: Math.min(...left.map((c) => c.perResult)) };
    const mostMemory = Math.max(...left.map((c) => c.g.memory_gb ?? 0));
    return left.map((c, at) => ({
      ...c, rank: at + 1, slower: c.seconds / least.seconds, dearer: c.perResult / least.perResult, mostMemory: c.g.memory_gb === mostMemory,
      beaten: left.some((d) => (d.seconds <= c.seconds && d.perResult < c.perResult) || (d.perResult === c.perResult && d.seconds < c.seconds)),
    }));
  }

  function memoryText({ a, g, o, mostMemory }) {
    if (a.objective === "memory") return mostMemory && "the most memory";
    if (a.objective !== "memory_per_usd" || g.memory_gb === null) return null;
    return a.acquisition === "rent" ? `${general(g.memory_gb / o.usd, 3)} GB for 1 USD an hour` : `${general((1000 * g.memory_gb) / o.usd, 3)} GB for 1000 USD`;
  }

  const sameWork = (a) => (a.acquisition === "buy" ? " for the same work" : "");

  function placeText({ a, slower, dearer, beaten }) {
    if (dearer === 1) return slower === 1 ? "the cheapest and the fastest" : `the cheapest${sameWork(a)}`;
    if (slower === 1) return "the fastest";
    return beaten ? "another GPU is faster and cheaper" : "good trade-off";
  }

  const slowerText = ({ slower }) => slower >= 1.005 && `takes ${fixed(slower, 2)} times as long as the fastest`;
  const dearerText = ({ a, dearer }) => dearer >= 1.005 && `${fixed(dearer, 2)} times the cost of the cheapest${sameWork(a)}`;

  function speedText({ basis, high }) {
    if (basis !== "predicted") return null;
    return high === null ? "speed predicted, from memory bandwidth alone" : "speed predicted";
  }

  const electricityText = ({ electricityUsd, paidHours }) => electricityUsd !== null && `electricity $${fixed(electricityUsd, 2)} in ${general(paidHours)} h`;

  function priceText({ o }) {
    if (o.kind === "msrp") return `launch price of ${o.price_date}`;
    return o.stale && `price of ${o.price_date}, not of today`;
  }

  const termText = ({ o }) => o.commitment_months !== null && `price with a commitment of ${o.commitment_months} months`;
  const variantText = ({ o }) => o.open_variant && "the offer does not state the variant, so it counts as the weakest";

  const reasonOf = (c) => [memoryText, placeText, slowerText, dearerText, speedText, electricityText, priceText, termText, variantText].map((tell) => tell(c)).filter(Boolean).join("; ");

  /* the largest unit of which the low end has one (two days) */
  const UNITS = [["days", 86400, 172800], ["hours", 3600, 3600], ["minutes", 60, 60], ["seconds", 1, 0]];

  function tooUncertain({ seconds, low, high }) {
    const [unit, unitS] = UNITS.find(([, , least]) => seconds * low >= least);
    return `prediction too uncertain for a rank: ${fixed((seconds * low) / unitS, 1)} to ${fixed((seconds * high) / unitS, 1)} ${unit}`;
  }

  function row(c) {
    const { a, g, o } = c;
    const rented = a.acquisition === "rent";
    return {
      gpu_id: g.gpu_id, rank: c.rank ?? null, is_pareto_optimal: c.rank ? !c.beaten : null, name: g.name, memory_gb: g.memory_gb, basis: c.basis,
      seconds: c.seconds, seconds_low: times(c.seconds, c.low), seconds_high: times(c.seconds, c.high),
      provider: o?.provider ?? null, price_kind: o?.kind ?? null, billing: o?.billing ?? null, commitment_months: o?.commitment_months ?? null, price_usd: o?.usd ?? null,
      price_date: o?.price_date ?? null, stale: o?.stale ?? null, cost_usd: c.costUsd,
      cost_usd_low: rented ? times(c.costUsd, c.low) : null, cost_usd_high: rented ? times(c.costUsd, c.high) : null,
      system_usd: c.systemUsd, electricity_usd: c.electricityUsd, unranked: c.unranked,
      reason: c.rank ? reasonOf(c) : (c.limitMissed ?? tooUncertain(c)),
    };
  }

  /* Every GPU with the columns of table `scenario_rank`: choices by rank, unranked ones by time, those that miss a limit by gpu_id. */
  function recommend(data, question) {
    const a = asked(question);
    const candidates = decided(candidate(data, a).map(costed).map(assessed));
    const byId = (x, y) => order(x.g.gpu_id, y.g.gpu_id);
    const unranked = candidates.filter((c) => c.unranked).sort((x, y) => order(x.seconds, y.seconds) || byId(x, y));
    const out = candidates.filter((c) => c.limitMissed !== null).sort(byId);
    return [...fit(candidates, a.objective), ...unranked, ...out].map(row);
  }

  window.gpuledger.recommend = recommend;
})();
