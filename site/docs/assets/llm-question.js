/* A question about a language model: the tables that answer it, the types of weights that it compares, its answer by `llmChoose`, and the command
   that predicts what the tables lack. The home page and the comparison of GPUs ask. Exports `gpuledger.llmTables`, `gpuledger.ratesOf`,
   `gpuledger.llmAnswer`, `gpuledger.llmCommand`, `gpuledger.llmLoad`, `gpuledger.llmUse` and `gpuledger.offerTypes`. */
(() => {
  "use strict";
  const { gettext, llmChoose } = window.gpuledger;
  const LOCAL = "q4_k_m", BEST = "best"; // the type of llama.cpp for one user; the choice of the best of `model.types` for each GPU
  const STORED = { full: "bf16", lora: "bf16", qlora: "nf4" };

  let tables = null;

  const load = (path) => window.gpuledger.load(window.gpuledger.asset(path), gettext("The data of this form did not load."));

  async function llmTables() {
    await load("llm-data.js");
    return (tables ??= window.gpuledger.tablesOf(window.gpuledger.llmData));
  }

  /* Speeds and prices of a model in a use or by a tuning method, as it is stored; none for a model without a speed. */
  async function llmRates(model, question, use) {
    if (!model.has_rates) return [];
    await load(`llm/${model.llm_model_id}.js`);
    const rows = window.gpuledger.rowsOf(window.gpuledger.llmRates[model.llm_model_id], window.gpuledger.llmData.gpu.gpu_id);
    return rows.filter((row) => row.use === (question.tune ?? use) && row.type === question.quantization);
  }

  /* the question with one type of weights, in the columns of llm_fit_case */
  function questionOf(model, weights, asked, quantization) {
    const measured = weights.find((one) => one.llm_model_id === model.llm_model_id && one.quantization === quantization);
    return {
      ...model, quantization, tune: asked.tune, weight_bytes: measured?.weight_bytes ?? null, kv_bytes_per_value: 2, gpus: 1,
      context_tokens: Math.min(asked.context, model.model_context_tokens ?? asked.context), users: asked.users,
    };
  }

  function typesOf(model, asked) {
    if (asked.tune) return [STORED[asked.tune]];
    return asked.quantization === BEST ? model.types : [asked.quantization];
  }

  /* Speeds of a use are those under its load; the speed of tuning depends on no load. */
  const hasLoadOfUse = (asked) => asked.tune !== null || (asked.users === asked.load.users && asked.context === asked.load.context);

  /* One question per type, the GPUs as answers, and whether the speeds of the use are left out, because the load is the reader's own: `atUse` is
     the first GPU under the load of the use then. */
  async function llmAnswer(data, model, asked) {
    const questions = typesOf(model, asked).map((type) => questionOf(model, data.llm_weight, asked, type));
    const rates = await Promise.all(questions.map((question) => llmRates(model, question, asked.use)));
    const isOwnLoad = rates.some((known) => known.length) && !hasLoadOfUse(asked);
    const pairs = questions.map((question, at) => [question, isOwnLoad ? [] : rates[at]]);
    const atUse = isOwnLoad ? firstAtUse(data, model, asked, rates) : null;
    return { questions, isOwnLoad, atUse, choices: llmChoose(data, pairs, asked.objective) };
  }

  function firstAtUse(data, model, asked, rates) {
    const pairs = typesOf(model, asked).map((type, at) => [questionOf(model, data.llm_weight, { ...asked, ...asked.load }, type), rates[at]]);
    const [first] = llmChoose(data, pairs, asked.objective);
    return first.reason || first.tokens_per_s === null ? null : first;
  }

  /* The command that predicts what the tables lack: the speed of a model outside llm_speed, or under another load than that of the use. */
  function llmCommand(model, asked) {
    const isOneUser = asked.use === "single";
    const predicts = [BEST, ...model.predicted_types, ...(isOneUser ? [LOCAL] : [])].includes(asked.quantization) && !(isOneUser && asked.users > 1);
    if (asked.tune || (model.has_speeds && hasLoadOfUse(asked)) || !predicts) return null;
    const options = [
      ["model", model.llm_model_id], ["use", asked.use], ["quantization", asked.quantization, BEST], ["users", asked.users, asked.load.users],
      ["context", Math.min(asked.context, model.model_context_tokens ?? asked.context), asked.load.context], ["objective", asked.objective, "cheapest"],
    ];
    return ["gpuledger recommend", ...options.filter(([, value, usual]) => value !== usual).map(([name, value]) => `--${name} ${value}`)].join(" ");
  }

  /* The use that a form has chosen: its load, and the type that is usual for it. */
  const llmUse = (form) => form.elements.use.selectedOptions[0].dataset;
  const llmLoad = (form) => ({ users: Number(llmUse(form).users), context: Number(llmUse(form).context) });

  /* Offers the types that the model has in the use; one that it lacks gives way to the usual one. */
  function offerTypes(form) {
    const { model, use, type } = form.elements;
    const isOffered = ({ value, dataset }) => (value === BEST ? use.value !== "single" : !dataset.models || dataset.models.split(" ").includes(model.value));
    for (const option of type.options) option.hidden = option.disabled = !isOffered(option);
    if (type.selectedOptions[0].disabled) type.value = llmUse(form).type;
  }

  Object.assign(window.gpuledger, { llmAnswer, llmCommand, llmLoad, llmUse, llmTables, offerTypes, ratesOf: llmRates });
})();
