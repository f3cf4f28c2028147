/* The recommendation form for language models: reads the question, answers it with `llmChoose`, and rewrites answers and rows of the page. The first question,
   what to run, shows this form or that of training. Tables are loaded when the form is first used or the address has a question. Texts are in
   pipeline/website/components/llm/llm_form.py. */
(() => {
  "use strict";
  const { llmAdvice, llmCheaper, llmChoose, llmCost, llmOtherTerms, llmFit, numbers: { day, number, usd }, parts } = window.gpuledger;
  const { element, gpuLink, span } = parts;
  const gettext = (...args) => window.gpuledger.gettext(...args);
  const SERVED = ["bf16", "fp16", "fp8"], LOCAL = "q4_k_m"; // types of which the command predicts speeds
  const STORED = { full: "bf16", lora: "bf16", qlora: "nf4" };
  const RUNS = { llm: ["model", "use", "type", "context", "users", "order", "price"], tune: ["model", "method", "tokens", "context", "users", "order", "price"] };

  /* the tables: columns in the file, rows here */
  let tables = null;

  const rows = (columns) => columns[Object.keys(columns)[0]].map((_, at) => Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[at]])));
  const load = (path) => window.gpuledger.load(window.gpuledger.asset(path), gettext("The data of this form did not load."));
  const withGpus = (columns) => rows(columns).map((row) => ({ ...row, gpu_id: tables.gpu[row.gpu_id].gpu_id }));

  async function llmTables() {
    await load("llm-data.js");
    if (!tables) {
      const { gpu, ...others } = window.gpuledger.llmData;
      tables = { gpu: rows(gpu) };
      for (const [name, columns] of Object.entries(others)) tables[name] = columns.gpu_id ? withGpus(columns) : rows(columns);
    }
    return tables;
  }

  /* Speeds and prices of a model in a use or by a tuning method, as it is stored; none for a model without a speed. */
  async function llmRates(model, question, use) {
    if (!model.has_rates) return [];
    await load(`llm/${model.llm_model_id}.js`);
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
      context: Number(text("context")), users: Number(text("users")), objective: text("order"), price: Number(text("price")) || null,
      requests: Number(form.elements.use.selectedOptions[0].dataset.users),
      millions: run === "tune" ? Number(text("tokens")) : 1,
    };
  }

  const assumed = (name) => tables.assumption.find((one) => one.assumption_id === name).value;

  /* writing the page */
  const jobUsd = (one, asked) => (one.usd_per_million === null ? null : one.usd_per_million * asked.millions);

  function arithmetic(data, question, best) {
    const fit = llmFit(data, { ...question, gpus: best.gpus / best.copies }, data.gpu.find((gpu) => gpu.gpu_id === best.gpu_id));
    const figures = {
      weights: number(fit.weight_gb, 3), cache: number(fit.kv_gb, 3), needed: number(fit.gpu_gb, 3), usable: number(fit.usable_gb, 3),
      engine: fit.engine, tokens: number(fit.max_context_tokens), state: number(fit.tuning_gb, 3), activations: number(fit.activation_gb, 3),
    };
    return question.tune
      ? gettext("The GPUs share {weights} GB of weights and {state} GB of gradients, optimizer and adapters. With {activations} GB of activations, each needs {needed} GB. {engine} can use {usable} GB. Longest sequence that fits: {tokens} tokens.", figures)
      : gettext("{weights} GB of weights and {cache} GB of KV cache need {needed} GB on each GPU. {engine} can use {usable} GB. Longest context that fits: {tokens} tokens.", figures);
  }

  function cell(label, text, small = "") {
    const made = element("td", "n", text, ...(small ? [" ", element("small", "", small)] : []));
    made.dataset.label = label;
    return made;
  }

  /* The command that predicts what the tables lack: the speed of a model outside llm_speed, or under another load than that of the use. */
  function command(model, asked, load) {
    const predicts = asked.use === "single" ? asked.users === 1 && [LOCAL, ...SERVED].includes(asked.quantization) : SERVED.includes(asked.quantization);
    const isStored = model.has_speeds && asked.users === Number(load.users) && asked.context === Number(load.context);
    if (asked.tune || isStored || !predicts) return null;
    const options = [
      ["model", model.llm_model_id], ["use", asked.use], ["quantization", asked.quantization], ["users", asked.users, Number(load.users)],
      ["context", Math.min(asked.context, model.model_context_tokens ?? asked.context), Number(load.context)], ["objective", asked.objective, "cheapest"],
    ];
    return ["gpuledger recommend", ...options.filter(([, value, usual]) => value !== usual).map(([name, value]) => `--${name} ${value}`)].join(" ");
  }

  function showCommand(text) {
    const note = document.getElementById("llm-command");
    note.hidden = text === null;
    note.querySelector("code").textContent = text ?? "";
  }

  const costs = (one, asked) => [one.usd_per_million_low, one.usd_per_million_high].map((value) => usd(value === null ? null : value * asked.millions));

  const basis = (one) => (one.basis === "measured" ? gettext("measured") : one.unranked ? gettext("predicted, not ranked") : gettext("predicted"));

  function rentContext(one, asked) {
    if (one.tokens_per_s === null) return "";
    const range = [span(number(one.low, 3), number(one.high, 3)), basis(one)].filter(Boolean).join(gettext(", "));
    const hours = (asked.millions * 1e6) / one.tokens_per_s / 3600;
    return asked.tune
      ? gettext("{usd} for the job ({costs}) in {time}, {basis}", { usd: usd(jobUsd(one, asked)), costs: span(...costs(one, asked)), time: parts.longTime(hours), basis: basis(one) })
      : gettext("{usd} per million tokens at {speed} tokens/s ({range})", { usd: usd(one.usd_per_million), speed: number(one.tokens_per_s, 3), range });
  }

  const seenOn = (one) => (one.variant_stated ? day(one.price_date) : gettext("{date}, variant not stated", { date: day(one.price_date) }));

  const soldBy = (one) => parts.soldBy(tables.provider, one, seenOn(one));

  function showRent(one, asked, cheaper) {
    const tile = document.getElementById("llm-rent");
    tile.replaceChildren(element("p", "k", gettext("Rent")), element("p", "gpu", parts.several(one)),
      element("p", "figure", element("b", "", usd(one.usd_per_hour)), " ", gettext("an hour")), element("p", "context", rentContext(one, asked)),
      soldBy(one), ...(cheaper ? [element("p", "context", llmOtherTerms(asked, cheaper)), soldBy(cheaper)] : []));
  }

  /* the tiles of the first choice: to rent, to buy, and its memory; none where no GPU fits */
  function showBest(question, best, asked, cheaper) {
    document.querySelector(".gl-run-llm .gl-answers").hidden = !best;
    if (!best) return;
    showRent(best, asked, cheaper);
    const gpu = tables.gpu.find((one) => one.gpu_id === best.gpu_id);
    const terms = { gpus: best.gpus, rent: best.usd_per_hour, tdpW: gpu.tdp_w, kwh: assumed("usd_per_kwh") };
    parts.showBuying(document.getElementById("llm-buy"), gpu, tables.purchase.filter((one) => one.gpu_id === best.gpu_id), terms, asked.price);
    document.querySelector("#llm-need b").textContent = gettext("{needed} GB of {usable} GB", { needed: number(best.needed_gb, 3), usable: number(best.usable_gb, 3) });
    document.getElementById("llm-memory").textContent = arithmetic(tables, question, best);
  }

  function choiceRow(one, asked) {
    const head = element("th", "", ...(one.gpus > 1 ? [`${one.gpus} x `] : []), gpuLink(one), ...parts.memoryOf(one));
    head.scope = "row";
    const three = (value) => number(value, 3);
    const mark = one.basis ? [element("span", `gl-mark ${one.basis}`, basis(one))] : [];
    return element("tr", one.unranked ? "gl-unranked" : "", element("td", "n", String(one.rank ?? "")), head,
      cell(asked.tune ? gettext("USD per job:") : gettext("USD per million tokens:"), usd(jobUsd(one, asked)), span(...costs(one, asked))),
      cell(gettext("Tokens/s:"), three(one.tokens_per_s), span(three(one.low), three(one.high))), cell(gettext("Hourly price:"), usd(one.usd_per_hour), parts.multiple(one.gpus, one.usd_per_hour / one.gpus)),
      element("td", "", element("span", "", ...parts.providerLinks(tables.provider, one.provider)), " ", element("small", "gl-keep", seenOn(one))), element("td", "", ...mark),
      cell(gettext("Memory needed, GB:"), three(one.needed_gb), gettext("of {gb}", { gb: three(one.usable_gb) })));
  }

  function showRunning(running, asked) {
    const box = document.getElementById("llm-ranked");
    const shown = Number(box.dataset.shown);
    const more = box.querySelector("details");
    const [first, others] = box.querySelectorAll("tbody");
    first.replaceChildren(...running.slice(0, shown).map((one) => choiceRow(one, asked)));
    others.replaceChildren(...running.slice(shown).map((one) => choiceRow(one, asked)));
    box.querySelector(".gl-scroll").hidden = !running.length;
    more.hidden = running.length <= shown;
    box.querySelectorAll("[data-cost]").forEach((head) => { head.textContent = asked.tune ? gettext("USD per job") : gettext("USD per million output tokens"); });
    more.querySelector("summary").textContent = gettext("{count} more choices", { count: Math.max(0, running.length - shown) });
  }

  async function show(form, run) {
    const data = await llmTables();
    const asked = read(form, run);
    const model = data.model.find((one) => one.llm_model_id === asked.model);
    const question = llmQuestion(model, data.llm_weight, asked);
    if (question.context_tokens < asked.context) complain(form, gettext("{model} reads at most {tokens} tokens, which are counted here.", { model: model.name, tokens: number(question.context_tokens) }));
    const rates = await llmRates(model, question, asked.use);
    const choices = llmChoose(data, rates, question, asked.objective);
    const running = choices.filter((one) => !one.reason);
    const type = data.llm_quantization.find((one) => one.quantization === question.quantization);
    const left = choices.filter((one) => one.reason);
    const described = { ...asked, name: model.name, type: type.title, reading: assumed("reading_tokens_per_s") };
    document.getElementById("llm-lead").textContent = llmAdvice(described, running, left, data.provider);
    showCommand(command(model, asked, form.elements.use.selectedOptions[0].dataset));
    showBest(question, running[0], asked, asked.objective === "cheapest" ? llmCheaper(data, choices) : null);
    showRunning(running, asked);
    const words = gettext("{model} as {type}", { model: described.name, type: described.type }), using = form.elements.use.selectedOptions[0].textContent.trim();
    llmCost(described, asked.tune ? words : `${words}, ${using.toLowerCase()}`, running, data.provider);
    document.getElementById("llm-left-out").replaceChildren(...parts.outGroups(left));
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
    const kind = { train: "job", image: "task" }[run];
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
    const runField = document.getElementById("run").elements.run;
    const query = new URLSearchParams(location.search);
    const inputs = [...form.elements].filter((input) => input.name);
    const update = async () => {
      const own = RUNS[runField.value] ?? [];
      const wrong = faults(inputs.filter((input) => input.type === "number"));
      complain(form, wrong.length ? gettext("{faults} The answer below uses your last valid figures.", { faults: window.gpuledger.sentences(...wrong) }) : "");
      if (wrong.length || !own.length) return;
      if (runField.value === "llm") followUsers();
      remember(Object.fromEntries(inputs.map((input) => [input.name, own.includes(input.name) ? asAddress(input) : ""])));
      try { await show(form, runField.value); } catch (error) { tell(form, error.message); }
    };
    /* the defaults of tuning, a model of 7B and shorter sequences, unless the reader chose others */
    const setDefaults = () => {
      const { context, model } = form.elements;
      const first = [...model.options].find((one) => one.defaultSelected).value;
      for (const [input, own, tuning] of [[context, context.defaultValue, "2048"], [model, first, "qwen2.5-7b"]]) {
        if ([own, tuning].includes(input.value) && !query.has(input.name)) input.value = runField.value === "tune" ? tuning : own;
      }
    };
    /* a use is measured under a load: it sets the requests at a time, their tokens and the type that is usual for it */
    const setLoad = () => {
      const { dataset } = form.elements.use.selectedOptions[0];
      for (const name of ["users", "context", "type"]) form.elements[name].value = dataset[name];
    };
    /* Several users are no use of one user: the answer is that of chat, for the reader's number. */
    const followUsers = () => {
      const { use, users, context, type } = form.elements;
      if (use.value !== "single" || !(Number(users.value) > 1)) return;
      const before = use.selectedOptions[0].dataset;
      use.value = "chat";
      const { dataset } = use.selectedOptions[0];
      if (context.value === before.context) context.value = dataset.context;
      if (type.value === before.type) type.value = dataset.type;
    };
    const turn = () => {
      remember({ run: asAddress(runField) });
      setDefaults();
      narrow(runField.value);
      if (runField.value in RUNS) update();
    };
    recall([runField, ...inputs], form);
    runField.value = runOf(query) ?? runField.value;
    if (asAddress(runField) || inputs.some(asAddress)) turn();
    form.addEventListener("focusin", () => llmTables().catch(() => {}), { once: true });
    for (const one of [form, runField.form]) one.addEventListener("submit", (event) => event.preventDefault());
    runField.addEventListener("input", turn);
    form.elements.use.addEventListener("input", setLoad); // before the answer
    inputs.forEach((input) => input.addEventListener("input", update));
  }

  Object.assign(window.gpuledger, { llmTables, ratesOf: llmRates, llmQuestion });
  document.addEventListener("DOMContentLoaded", start);
})();
