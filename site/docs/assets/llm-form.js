/* The chooser for language models: reads the question, answers it with `llmChoose`, and rewrites answers and rows of the page. The first question,
   what to run, shows this form or that of training. Tables are loaded when the form is first used or the address has a question. Texts are in
   pipeline/website/components/llm/llm_form.py. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const { llmChoose, llmFit, numbers: { day, number, usd } } = window.gpuledger;
  const gettext = (...args) => window.gpuledger.gettext(...args);
  const STORED = { full: "bf16", lora: "bf16", qlora: "nf4" };
  const RUNS = { llm: ["model", "use", "type", "context", "users", "order"], tune: ["model", "method", "tokens", "context", "users", "order"] };

  /* the tables: columns in the file, rows here */
  const loading = new Map();
  let tables = null;

  const rows = (columns) => columns[Object.keys(columns)[0]].map((_, at) => Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[at]])));
  const withGpus = (columns) => rows(columns).map((row) => ({ ...row, gpu_id: tables.gpu[row.gpu_id].gpu_id }));

  function loadScript(path) {
    if (!loading.has(path)) {
      loading.set(path, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = new URL(`${window.gpuledger.shared}assets/${path}`, here).href;
        script.onload = resolve;
        script.onerror = () => { loading.delete(path); reject(new Error(gettext("The tables of the chooser did not load."))); };
        document.head.append(script);
      }));
    }
    return loading.get(path);
  }

  async function llmTables() {
    await loadScript("llm-data.js");
    if (!tables) {
      const { offer, ...others } = window.gpuledger.llmData;
      tables = Object.fromEntries(Object.entries(others).map(([name, columns]) => [name, rows(columns)]));
      tables.offer = withGpus(offer);
    }
    return tables;
  }

  /* Speeds and prices of a model in a use or by a tuning method, as it is stored; none for a model without a speed. */
  async function llmRates(model, question, use) {
    if (!model.has_rates) return [];
    await loadScript(`llm/${model.llm_model_id}.js`);
    const type = question.quantization === "fp16" ? "bf16" : question.quantization;
    return withGpus(window.gpuledger.llmRates[model.llm_model_id]).filter((row) => row.use === (question.tune ?? use) && row.type === type);
  }

  /* the question, in the columns of llm_fit_case */
  function llmQuestion(model, weights, asked) {
    const quantization = asked.tune ? STORED[asked.tune] : asked.quantization;
    const measured = weights.find((one) => one.llm_model_id === model.llm_model_id && one.quantization === quantization);
    return {
      ...model, quantization, tune: asked.tune, weight_bytes: measured?.weight_bytes ?? null, kv_bytes_per_value: 2, gpus: 1,
      context_tokens: Math.min(asked.context, model.model_context_tokens ?? asked.context), users: asked.users,
    };
  }

  function read(form, run) {
    const text = (name) => form.elements[name].value;
    return {
      model: text("model"), use: text("use"), quantization: text("type"), tune: run === "tune" ? text("method") : null,
      context: Number(text("context")), users: Number(text("users")), objective: text("order"),
      millions: run === "tune" ? Number(text("tokens")) : 1,
    };
  }

  /* writing the page */
  const card = (one) => (one.name || one.gpu_id).replace(/^NVIDIA /, "").replace(/^Tesla /, "");
  const named = (one) => (one.gpus > 1 ? `${one.gpus} x ${card(one)}` : card(one));
  const fastestOf = (placed) => [...placed].sort((a, b) => b.tokens_per_s - a.tokens_per_s || a.usd_per_million - b.usd_per_million || (a.gpu_id < b.gpu_id ? -1 : 1))[0];

  /* Cost and time of the job, or of a million tokens and a second. */
  const jobUsd = (one, asked) => (one.usd_per_million === null ? null : one.usd_per_million * asked.millions);
  const jobTime = (one, asked) => { const hours = (asked.millions * 1e6) / one.tokens_per_s / 3600; return gettext("{hours} h", { hours: number(hours, 3) }); };

  function leadTune(told, asked, cheap, fast) {
    const figures = (one) => ({ gpu: named(one), usd: usd(jobUsd(one, asked)), time: jobTime(one, asked) });
    const text = gettext("{model} by {method}, {millions} million tokens: the job costs least on the {gpu}, {usd} in {time}.", { ...told, ...figures(cheap) });
    const second = fast.gpu_id === cheap.gpu_id ? gettext("It is also the fastest.") : gettext("The fastest is the {gpu}: {time}, {usd}.", figures(fast));
    return `${text} ${second}`;
  }

  function lead(model, type, placed, asked) {
    const told = { model: model.name, type: type.title, method: { qlora: "QLoRA", lora: "LoRA", full: gettext("full fine-tuning") }[asked.tune], millions: number(asked.millions) };
    if (!placed.length) return gettext("{model} as {type}: no GPU meets every limit.", told);
    const [cheap] = [...placed].sort((a, b) => (a.usd_per_million ?? a.usd_per_hour) - (b.usd_per_million ?? b.usd_per_hour));
    if (cheap.usd_per_million === null) {
      return gettext("{model} as {type}: the cheapest that fits is the {gpu}, {usd} an hour.", { ...told, gpu: named(cheap), usd: usd(cheap.usd_per_hour) });
    }
    if (asked.tune) return leadTune(told, asked, cheap, fastestOf(placed));
    const figures = (one) => ({ gpu: named(one), usd: usd(one.usd_per_million), speed: number(one.tokens_per_s, 3) });
    const text = gettext("{model} as {type}: tokens cost least on the {gpu}, {usd} per million at {speed} tokens/s.", { ...told, ...figures(cheap) });
    const fast = fastestOf(placed);
    const second = fast.gpu_id === cheap.gpu_id ? gettext("It is also the fastest.") : gettext("The fastest is the {gpu}: {speed} tokens/s, {usd} per million.", figures(fast));
    return `${text} ${second}`;
  }

  function arithmetic(data, question, best) {
    if (!best) return "";
    const fit = llmFit(data, { ...question, gpus: best.gpus }, data.gpu.find((gpu) => gpu.gpu_id === best.gpu_id));
    const figures = {
      gpu: named(best), weights: number(fit.weight_gb, 3), cache: number(fit.kv_gb, 3), needed: number(fit.gpu_gb, 3), usable: number(fit.usable_gb, 3),
      engine: fit.engine, tokens: number(fit.max_context_tokens), state: number(fit.tuning_gb, 3), activations: number(fit.activation_gb, 3),
    };
    return question.tune
      ? gettext("Memory on the {gpu}: {weights} GB of weights and {state} GB of gradients, optimizer and adapters, shared among the GPUs, and {activations} GB of activations on each; {needed} GB on each GPU, of {usable} GB usable in {engine}. Longest sequence that fits: {tokens} tokens.", figures)
      : gettext("Memory on the {gpu}: {weights} GB of weights and {cache} GB of KV cache, {needed} GB on each GPU, of {usable} GB usable in {engine}. Longest context that fits: {tokens} tokens.", figures);
  }

  function element(tag, className, ...children) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function gpuLink(one) {
    return Object.assign(element("a", "", card(one)), { href: new URL(`../gpus/${one.gpu_id}/index.html`, here).href });
  }

  function providerLinks(name) {
    const known = tables.provider.find((row) => row.provider === name);
    if (!known) return [name];
    const link = Object.assign(element("a", "", name), { href: new URL(`../providers/${known.slug}/index.html`, here).href });
    return known.url ? [link, " ", sellerLink(name, known.url)] : [link];
  }

  function sellerLink(name, url) {
    const label = gettext("{provider}: website of the seller", { provider: name });
    const link = Object.assign(element("a", "gl-out", "↗"), { href: url, rel: "nofollow noopener", title: label });
    link.setAttribute("aria-label", label);
    return link;
  }

  function cell(label, text, small = "") {
    const made = element("td", "n", text, ...(small ? [" ", element("small", "", small)] : []));
    made.dataset.label = label;
    return made;
  }

  const costs = (one, asked) => [one.usd_per_million_low, one.usd_per_million_high].map((value) => usd(value === null ? null : value * asked.millions));
  const span = (low, high) => (low && low !== high ? `${low}–${high}` : "");

  function choiceRow(one, asked) {
    const head = element("th", "", ...(one.gpus > 1 ? [`${one.gpus} x `] : []), gpuLink(one), " ", element("small", "", `${number(one.memory_gb)} GB`));
    head.scope = "row";
    const three = (value) => number(value, 3);
    const basis = one.basis ? [element("span", `gl-mark ${one.basis}`, one.basis === "measured" ? gettext("measured") : gettext("predicted"))] : [];
    return element("tr", "", element("td", "n", String(one.place)), head,
      cell(asked.tune ? gettext("USD per job:") : gettext("USD per million tokens:"), usd(jobUsd(one, asked)), span(...costs(one, asked))),
      cell(gettext("Tokens/s:"), three(one.tokens_per_s), span(three(one.low), three(one.high))), cell(gettext("Price an hour:"), usd(one.usd_per_hour)),
      element("td", "", element("span", "", ...providerLinks(one.provider)), " ", element("small", "gl-keep", day(one.price_date))), element("td", "", ...basis),
      cell(gettext("Memory needed, GB:"), three(one.needed_gb), gettext("of {gb}", { gb: three(one.usable_gb) })));
  }

  function showRanked(placed, asked) {
    const box = document.getElementById("llm-ranked");
    const shown = Number(box.dataset.shown);
    const more = box.querySelector("details");
    const [first, others] = box.querySelectorAll("tbody");
    first.replaceChildren(...placed.slice(0, shown).map((one) => choiceRow(one, asked)));
    others.replaceChildren(...placed.slice(shown).map((one) => choiceRow(one, asked)));
    more.hidden = placed.length <= shown;
    box.querySelectorAll("[data-cost]").forEach((head) => { head.textContent = asked.tune ? gettext("USD per job") : gettext("USD per million output tokens"); });
    more.querySelector("summary").textContent = gettext("{count} more choices", { count: placed.length - shown });
  }

  function outGroup([kind, found]) {
    const same = new Set(found.map((one) => one.reason)).size === 1;
    const told = window.gpuledger.gettextFigures;
    const names = found.map((one) => element("li", "", gpuLink(one), ...(same ? [] : [" ", element("small", "", told(one.reason))])));
    return element("details", "gl-data", element("summary", "", told(same ? found[0].reason : kind), " ", element("b", "", String(found.length))), element("ul", "gl-names", ...names));
  }

  function showOut(left) {
    const groups = new Map();
    for (const one of left) {
      const kind = one.reason.replace(/\d[\d.-]*/g, "…");
      groups.set(kind, [...(groups.get(kind) ?? []), one]);
    }
    const order = [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
    document.getElementById("llm-left-out").replaceChildren(...order.map(outGroup));
  }

  async function show(form, run) {
    const data = await llmTables();
    const asked = read(form, run);
    const model = data.model.find((one) => one.llm_model_id === asked.model);
    const question = llmQuestion(model, data.llm_weight, asked);
    if (question.context_tokens < asked.context) complain(form, gettext("{model} reads at most {tokens} tokens, which are counted here.", { model: model.name, tokens: number(question.context_tokens) }));
    const rates = await llmRates(model, question, asked.use);
    const choices = llmChoose(data, rates, question, asked.objective);
    const placed = choices.filter((one) => one.place);
    const type = data.llm_quantization.find((one) => one.quantization === question.quantization);
    document.getElementById("llm-lead").textContent = lead(model, type, placed, asked);
    document.getElementById("llm-memory").textContent = arithmetic(data, question, placed[0]);
    showRanked(placed, asked);
    showOut(choices.filter((one) => !one.place));
  }

  function complain(form, text) {
    const note = form.querySelector(".gl-fault");
    note.hidden = text === "";
    note.textContent = text;
  }

  /* Which question an address without `run` asks: addresses of the form of training came first, and named bandwidth llm-decode. */
  function runOf(query) {
    if (query.has("run")) return null;
    const workload = query.get("workload");
    if (workload === "llm-decode") return "llm";
    const training = [...document.getElementById("recommend").elements].some((input) => input.name && query.has(input.name));
    return training ? (imageWork(workload) ? "image" : "train") : null;
  }

  const workloads = () => document.getElementById("recommend").elements.workload;
  const kindOf = (option) => option?.parentElement.dataset.kind;
  const imageWork = (workload) => kindOf([...workloads().options].find((one) => one.value === workload)) === "task";

  /* The workloads of training, or those of image work; the first of them where another was chosen. */
  function narrow(run) {
    const kind = { train: "family", image: "task" }[run];
    if (!kind) return;
    for (const group of workloads().querySelectorAll("optgroup")) group.hidden = group.disabled = group.dataset.kind !== kind;
    if (kindOf(workloads().selectedOptions[0]) === kind) return;
    workloads().value = workloads().querySelector(`optgroup[data-kind=${kind}] option`).value;
    workloads().dispatchEvent(new Event("input", { bubbles: true }));
  }

  function start() {
    const form = document.getElementById("llm");
    if (!form) return;
    const { asAddress, faults, recall, remember, tell } = window.gpuledger.address;
    const chooser = document.getElementById("run").elements.run;
    const query = new URLSearchParams(location.search);
    const inputs = [...form.elements].filter((input) => input.name);
    const update = async () => {
      const own = RUNS[chooser.value] ?? [];
      const wrong = faults(inputs.filter((input) => input.type === "number"));
      complain(form, wrong.length ? gettext("{faults} The answer below is that of the last figures in range.", { faults: wrong.join(" ") }) : "");
      if (wrong.length || !own.length) return;
      remember(Object.fromEntries(inputs.map((input) => [input.name, own.includes(input.name) ? asAddress(input) : ""])));
      try { await show(form, chooser.value); } catch (error) { tell(form, error.message); }
    };
    /* the defaults of tuning, a model of 7B and shorter sequences, unless the reader chose others */
    const setDefaults = () => {
      const { context, model } = form.elements;
      const first = [...model.options].find((one) => one.defaultSelected).value;
      for (const [input, own, tuning] of [[context, context.defaultValue, "2048"], [model, first, "qwen2.5-7b"]]) {
        if ([own, tuning].includes(input.value) && !query.has(input.name)) input.value = chooser.value === "tune" ? tuning : own;
      }
    };
    /* a use is measured under a load: it sets the requests at a time, their tokens and the type that is usual for it */
    const setLoad = () => {
      const { dataset } = form.elements.use.selectedOptions[0];
      for (const name of ["users", "context", "type"]) form.elements[name].value = dataset[name];
    };
    const turn = () => {
      remember({ run: asAddress(chooser) });
      setDefaults();
      narrow(chooser.value);
      if (chooser.value in RUNS) update();
    };
    recall([chooser, ...inputs], form);
    chooser.value = runOf(query) ?? chooser.value;
    if (asAddress(chooser) || inputs.some(asAddress)) turn();
    form.addEventListener("focusin", () => llmTables().catch(() => {}), { once: true });
    for (const one of [form, chooser.form]) one.addEventListener("submit", (event) => event.preventDefault());
    chooser.addEventListener("input", turn);
    form.elements.use.addEventListener("input", setLoad); // before the answer
    inputs.forEach((input) => input.addEventListener("input", update));
  }

  Object.assign(window.gpuledger, { llmTables, ratesOf: llmRates, llmQuestion });
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
