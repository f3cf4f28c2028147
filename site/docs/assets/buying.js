/* What the forms of the home page and the comparison share: parts of the page, names and links of GPUs and sellers, and what buying a GPU costs.
   The texts on buying are those of pipeline/website/components/recommend/buying.py. Exports `gpuledger.parts`. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const { gettext, sentences, numbers: { day, duration, fixed, number, usd } } = window.gpuledger;
  const kinds = () => ({ msrp: gettext("launch price"), purchase_new: gettext("new"), purchase_used: gettext("used") });

  const element = (tag, className, ...children) => window.gpuledger.make(tag, className ? { className } : {}, ...children);

  const link = (text, path) => Object.assign(element("a", "", text), { href: new URL(`../${path}`, here).href });
  const gpuName = (one) => (one.name || one.gpu_id).replace(/^NVIDIA /, "").replace(/^Tesla /, "").replace(/\(.*\)$/, (remark) => gettext(remark));
  const gpuLink = (one) => link(gpuName(one), `gpus/${one.gpu_id}/index.html`);
  /* the memory, unless the name has it */
  const memoryOf = (one) => (gpuName(one).includes(" GB") ? [] : [" ", element("small", "", `${number(one.memory_gb)} GB`)]);
  const plainName = (one) => gpuName(one).split(" (")[0]; // without remarks
  const several = (one) => (one.gpus > 1 ? gettext("{count} x {gpu}", { count: one.gpus, gpu: plainName(one) }) : plainName(one));
  const multiple = (gpus, usdOfOne) => (gpus > 1 ? `${gpus} x ${usd(usdOfOne)}` : "");
  const counted = (one) => (one.gpus > 1 ? several(one) : gettext("one {gpu}", { gpu: plainName(one) }));

  /* The provider's name as a link to its page, and an arrow to its own site. */
  function providerLinks(providers, id) {
    const known = providers.find((one) => one.provider === id);
    if (!known) return [id];
    const page = link(known.name, `providers/${known.slug}/index.html`);
    return known.url ? [page, " ", sellerLink(known)] : [page];
  }

  /* Who sells it, and the day of the price. */
  const soldBy = (providers, { provider, price_date: date }, shown = day(date)) =>
    element("p", "src", ...providerLinks(providers, provider), gettext(", {date}", { date: shown }));

  function sellerLink({ name, url }) {
    const label = gettext("{provider}: website of the seller", { provider: name });
    return Object.assign(element("a", "gl-out", "↗"), { href: url, rel: "nofollow noopener", ariaLabel: label });
  }

  const providerName = (providers, id) => providers.find((one) => one.provider === id)?.name ?? id;

  const span = (low, high) => (low && low !== high ? `${low}–${high}` : "");

  /* "2.3 hours" as a person says it; seconds count below ten minutes, and an hour and a bit is in minutes */
  function longTime(hours) {
    if (hours < 1 / 6) return duration(3600 * hours);
    if (hours < 1.1) return gettext("{count} minutes", { count: number(Number(fixed(60 * hours, 0))) });
    return hours < 48 ? gettext("{count} hours", { count: number(hours, 2) }) : gettext("{count} days", { count: number(hours / 24, 2) });
  }

  function priceText(row) {
    const values = { kind: kinds()[row.kind], usd: usd(row.usd), date: day(row.price_date) };
    return row.estimated ? gettext("{kind} {usd} ({date}, an estimate)", values) : gettext("{kind} {usd} ({date})", values);
  }

  function firstText(row) {
    const text = gettext("{kind}, {date}", { kind: row.estimated ? gettext("estimate") : kinds()[row.kind], date: day(row.price_date) });
    return row.is_old ? `${text} ${gettext("(older than 12 months, so not ranked)")}` : text;
  }

  function others(rows, gpus) {
    if (!rows.length) return "";
    const prices = rows.map(priceText).join(gettext(", "));
    return gpus > 1 ? gettext("Also, for one GPU: {prices}.", { prices }) : gettext("Also: {prices}.", { prices });
  }

  function payoff(price, { gpus, rent, tdpW, kwh }) {
    if (rent === null) return "";
    const saved = rent - ((gpus * (tdpW ?? 0)) / 1000) * kwh;
    if (saved <= 0) return gettext("Renting costs less than the electricity.");
    const exact = (gpus * price) / saved;
    const step = 10 ** Math.max(0, String(Math.trunc(exact)).length - 2); // two digits, as `_payoff`
    const hours = number(step * Number(fixed(exact / step, 0)));
    return gettext("Cheaper than renting after about {hours} hours of work, if you have the rest of the computer. Electricity: {kwh} per kWh.", { hours, kwh: usd(kwh) });
  }

  /* What the GPUs cost with the rest of the computer, which no price of a GPU includes, and for a token a second. */
  function withComputer(price, { gpus, speed, machine: rest }) {
    if (!rest) return "";
    const values = { total: usd(gpus * price + rest), rest: usd(rest) };
    if (!speed) return gettext("{total} with the rest of the computer ({rest}).", values);
    Object.assign(values, { usd: usd((gpus * price + rest) / speed), speed: number(speed, 3) });
    return gettext("{total} with the rest of the computer ({rest}), or {usd} per token/s at {speed} tokens/s.", values);
  }

  /* What several GPUs need of the computer; nothing for modules, or where width or power is not known. */
  function needs({ gpus, slotWidth, tdpW }) {
    if (gpus === 1 || !slotWidth || !tdpW) return "";
    return gettext("The GPUs need {slots} slots and {watts} W.", { slots: number(gpus * slotWidth), watts: number(gpus * tdpW) });
  }

  /* Fill the tile of buying: the first of `prices` counts, or the reader's own. `terms`: number of GPUs, rent an hour (null: not rented), watts and
     slots of one, USD per kWh, of a language model tokens a second, the rest of the computer in USD, and the hours of a job. */
  function showBuying(tile, one, prices, terms, own) {
    const set = (name, text) => { tile.querySelector(`.${name}`).textContent = text; };
    const [first, ...rest] = prices;
    const { gpus } = terms;
    const price = own ?? first?.usd ?? null;
    tile.querySelector(".gpu").replaceChildren(...(gpus > 1 ? [`${gpus} x `] : []), gpuLink(one));
    tile.querySelector(".figure b").textContent = price === null ? gettext("No price known") : usd(gpus * price);
    const detail = own ? gettext("your price") : first ? firstText(first) : "";
    set("detail", price === null ? detail : [multiple(gpus, price), detail].filter(Boolean).join(gettext(", ")));
    set("src", others(own ? prices : rest, gpus));
    set("context", price === null || (!own && first.estimated) ? gettext("Enter the price that you would pay.") : sentences(withComputer(price, terms), terms.hours && gettext("The job takes {time}.", { time: longTime(terms.hours) }), needs(terms), payoff(price, terms)));
  }

  /* what a speed rests on */
  const basis = (one) => (one.basis === "measured" ? gettext("measured") : one.unranked ? gettext("predicted, not ranked") : gettext("predicted"));

  /* A tile with a price: title, name, price with its unit, context, and what follows. */
  function fillTile(id, title, name, price, unit, context, ...more) {
    document.getElementById(id).replaceChildren(element("p", "k", title), element("p", "gpu", name),
      element("p", "figure", element("b", "", price), " ", unit), element("p", "context", context), ...more);
  }

  /* The tables of a ranked list: the first choices, and the others in a folded part. `row` makes the row of a choice. */
  function fillRanked(box, found, row) {
    const shown = Number(box.dataset.shown);
    const more = box.querySelector("details");
    const [first, others] = box.querySelectorAll("tbody");
    first.replaceChildren(...found.slice(0, shown).map(row));
    others.replaceChildren(...found.slice(shown).map(row));
    box.querySelector(".gl-scroll").hidden = !found.length;
    more.hidden = found.length <= shown;
    more.querySelector("summary").textContent = gettext("{count} more", { count: Math.max(0, found.length - shown) });
  }

  /* Cells of such a row: the GPUs, a figure with its label, and the seller with the date of the price. */
  const rowHead = (one, gpus, ...more) => Object.assign(element("th", "", ...(gpus > 1 ? [`${gpus} x `] : []), gpuLink(one), ...memoryOf(one), ...more), { scope: "row" });

  function cell(label, text, ...small) {
    const made = element("td", "n", text, ...small.filter(Boolean).flatMap((one) => [" ", element("small", "", one)]));
    made.dataset.label = label;
    return made;
  }

  const sellerCell = (providers, id, date) => element("td", "", element("span", "", ...providerLinks(providers, id)), " ", element("small", "gl-keep", date));

  /* GPUs that miss a limit, by reason: a figure in it that differs is left out of the heading, and given beside each GPU. */
  function outGroups(left) {
    const groups = new Map();
    for (const one of left) {
      const kind = headingOf(one.reason) ?? one.reason;
      groups.set(kind, [...(groups.get(kind) ?? []), one]);
    }
    return [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1)).map(outGroup);
  }

  /* The heading of a reason with figures, by the patterns of pipeline/website/components/recommend/left_out.py, which the page contains. */
  let limits = null;
  const headingOf = (reason) => (limits ??= JSON.parse(document.getElementById("limits").textContent)).find(([pattern]) => new RegExp(`^${pattern}`).test(reason))?.[1];

  function outGroup([kind, found]) {
    const translate = window.gpuledger.gettextFigures;
    const same = new Set(found.map((one) => one.reason)).size === 1;
    const names = found.map((one) => element("li", "", gpuLink(one), ...(same ? [] : [" ", element("small", "", translate(one.reason))])));
    return element("details", "gl-data", element("summary", "", translate(same ? found[0].reason : kind), " ", element("b", "", String(found.length))), element("ul", "gl-names", ...names));
  }

  /* A cheaper rental than on demand, with what its terms do not promise. `values`: gpu, price (an hour) and cost, as texts. */
  function cheaperTerms(billing, values) {
    return billing === "spot"
      ? gettext("Cheaper as a spot rental, which may end at any time: {gpu}, {price} an hour, {cost}.", values)
      : gettext("Cheaper on a marketplace of independent hosts: {gpu}, {price} an hour, {cost}.", values);
  }

  window.gpuledger.parts = {
    basis, cell, cheaperTerms, counted, element, fillRanked, fillTile, gpuLink, gpuName, headingOf, kinds, longTime, multiple, outGroups, plainName,
    providerLinks, providerName, rowHead, sellerCell, several, showBuying, soldBy, span,
  };
})();
