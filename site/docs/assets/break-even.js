/* Rent or buy: days until buying is cheaper, as in the command break-even.
   Texts are in pipeline/website/pages/break_even/rent_or_buy.py. */
(() => {
  "use strict";
  const { gettext, sentences, formulas, calculator, calculators, calculatorTables, numbers: { day, number, usd } } = window.gpuledger;

  function launchOrStreet(gpu) {
    const values = { usd: usd(gpu.buy_usd), day: day(gpu.buy_date), seller: gpu.buy_seller };
    if (gpu.buy_usd === null) return gettext("no price known, enter yours");
    if (gpu.buy_kind === "msrp") return gettext("enter yours (launch price: {usd}, {day})", values);
    if (!gpu.buy_current) return gettext("last known: {kind}, {day}", { ...values, kind: gpu.buy_kind === "purchase_used" ? gettext("used") : gettext("new") });
    return gpu.buy_kind === "purchase_used" ? gettext("used, {day}, {seller}", values) : gettext("new, {day}, {seller}", values);
  }

  function rent(gpu) {
    const values = { day: day(gpu.rent_date), provider: gpu.rent_provider, terms: gettext(gpu.rent_terms ?? "") };
    if (gpu.rent_usd === null) return gettext("no rental price known, enter yours");
    return gpu.rent_stale ? gettext("{terms}, {day}, {provider}: stale", values) : gettext("{terms}, {day}, {provider}", values);
  }

  function copied(gpu, form) {
    if (gpu === null) return JSON.parse(form.querySelector("script").textContent); // the guide's case
    const { host_w } = calculatorTables().given[0];
    const known = gpu.tdp_w !== null;
    const values = { gpu: number(gpu.tdp_w), rest: number(host_w) };
    const from = known ? gettext("GPU {gpu} W, rest {rest} W", values) : gettext("power limit not known, enter yours");
    return {
      gpu: { value: gpu.buy_kind === "msrp" ? null : gpu.buy_usd, from: launchOrStreet(gpu) },
      cloud: { value: gpu.rent_usd, from: rent(gpu) },
      watts: { value: known ? formulas.machineW(1, gpu.tdp_w, host_w, 1) : null, from },
      ...(gpu.is_module ? { host: { value: null, from: gettext("no desktop takes this GPU, enter its share of a server") } } : {}),
    };
  }

  /* Inputs as in the form, shares in percent. Days are null if buying is never cheaper or a value is unknown. */
  function rentOrBuy({ gpu, host, cloud, utilisation, watts, kwh, kept }) {
    const purchase = gpu === null || host === null ? null : gpu + host;
    const terms = [purchase, cloud, utilisation / 100, watts, kwh];
    const unknown = Object.entries({ gpu, host, cloud, watts }).find(([, value]) => value === null)?.[0] ?? null;
    const electricity = formulas.electricityKwhPerYear(watts, utilisation / 100);
    return {
      unknown, purchase, electricity,
      days: kept > 0 ? formulas.breakEvenDaysWithResale(...terms, gpu, kept / 100) : formulas.breakEvenDays(...terms),
      saved: unknown ? null : formulas.savedPerDayUsd(...terms.slice(1)),
      rent: cloud === null ? null : cloud * (utilisation / 100) * 24 * 365,
      power: electricity === null ? null : electricity * kwh,
    };
  }

  const MISSING = {
    gpu: () => gettext("No purchase price of this GPU is known, or only its launch price. Enter yours."),
    host: () => gettext("No desktop takes this GPU. Enter the price of the rest of a server, or its share for one GPU."),
    cloud: () => gettext("No rental price of this GPU is known. Enter yours."),
    watts: () => gettext("The power limit of this GPU is not known. Enter the power of the whole machine."),
  };

  function outcome({ unknown, days }, kept) {
    if (unknown) return gettext("not known");
    if (days === null) return kept > 0 ? gettext("not within 20 years") : gettext("never");
    if (days === 1) return kept > 0 ? gettext("1 day, if the GPU is then sold") : gettext("1 day");
    return kept > 0 ? gettext("{days} days, if the GPU is then sold", { days: number(days) }) : gettext("{days} days", { days: number(days) });
  }

  function arithmetic(values, { unknown, purchase, days, saved }) {
    if (unknown) return MISSING[unknown]();
    const { gpu, host, cloud, utilisation, watts, kwh, kept } = values;
    const kilowatts = watts / 1000;
    const figures = {
      gpu: usd(gpu), host: usd(host), purchase: usd(purchase), cloud: usd(cloud), kwh: usd(kwh), kilowatts: number(kilowatts),
      use: number(utilisation), power: usd(kilowatts * kwh), saved: usd(Math.abs(saved)), kept: number(kept), days: number(days),
    };
    if (kept > 0) return sentences(resale(values, days, figures), afterYears(values, purchase, saved));
    if (days === null) return gettext("An hour of renting costs {cloud}, and an hour of electricity {power}. Renting is always cheaper.", figures);
    return gettext("({gpu} + {host}) / (24 × {use}% × ({cloud} − {kilowatts} kW × {kwh})) = {purchase} / {saved} a day = {exact} days",
      { ...figures, exact: number(purchase / saved, 5) });
  }

  function resale({ gpu, kept }, days, figures) {
    if (days === null) return gettext("Even after 20 years, the rent saved and the resale value are less than the {purchase} paid.", figures);
    return gettext("The purchase of {purchase} pays off on day {days}. Rent saved: {days} × {saved}. Resale value: {gpu} × {kept}% ^ ({days} / 365) = {sold}.",
      { ...figures, sold: usd(gpu * (kept / 100) ** (days / 365)) });
  }

  /* What buying and a sale after three years have saved; `saved` is of a day, without the purchase. */
  function afterYears({ gpu, kept }, purchase, saved) {
    const total = 3 * 365 * saved + gpu * (kept / 100) ** 3 - purchase;
    const values = { usd: usd(Math.abs(total)) };
    return total < 0 ? gettext("Bought and sold after 3 years, it has cost {usd} more than renting.", values) : gettext("Bought and sold after 3 years, it has saved {usd}.", values);
  }

  function year({ unknown, rent: paid, electricity, power }) {
    if (unknown) return "";
    return gettext("One year of renting at this utilization costs {rent}. Owning costs {power} for {electricity} kWh of electricity.",
      { rent: usd(paid), electricity: number(electricity), power: usd(power) });
  }

  /* The lead of the page is of its first case: it gives way to any other, which the address has. */
  const hideLead = () => document.querySelector(".gl-lead")?.toggleAttribute("hidden", /[?&]\w+=/.test(location.search));

  function texts(values, gpu) {
    hideLead();
    window.gpuledger.setSignal?.("gpu", gpu?.gpu_id ?? ""); // the chart shows its lines
    const counted = rentOrBuy(values);
    return { days: outcome(counted, values.kept), arithmetic: arithmetic(values, counted), year: year(counted) };
  }

  calculators.rentOrBuy = rentOrBuy;
  calculator("rent-or-buy", { copied, texts });
})();
