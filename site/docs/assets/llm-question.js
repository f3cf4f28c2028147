/* A question about a language model: the tables that answer it, the types of weights that it compares, and its answer by `llmChoose`.
   The home page and the comparison of GPUs ask. Exports `llmTables`, `ratesOf`, `llmAnswer`, `llmLoad`,
   `llmMachine`, `llmUse`, `llmWaiting`, `offerTypes` and `usualType`. */
(() => {
  "use strict";
  const { gettext, numbers: { number } } = window.gpuledger;
  const LOCAL = "q4_k_m", PUBLISHED = "mxfp4_moe"; // the types of llama.cpp for one user: of most models, and of one published as MXFP4
  const BEST = "best"; // the choice of the best of `model.types` for each GPU
  const STORED = { full: "bf16", lora: "bf16", qlora: "nf4" };

  let tables = null;

  const load = (path) => window.gpuledger.load(window.gpuledger.asset(path), gettext("The data of this form did not load."));

  /* The tables with the code that reads them. */
  async function llmTables() {
    await Promise.all([load("llm-data.js"), load("llm-memory.js").then(() => load("llm-recommend.js"))]);
    return (tables ??= window.gpuledger.tablesOf(window.gpuledger.llmData));
  }

  /* Speeds and prices of a model in a use or by a tuning method. */
  async function llmRates(model, question, use) {
    if (!model.has_rates) return [];
    const name = question.tune ? `${model.llm_model_id}-tune` : model.llm_model_id;
    await load(`llm/${name}.js`);
    const rows = window.gpuledger.rowsOf(window.gpuledger.llmRates[name], window.gpuledger.llmData.gpu.gpu_id);
    return rows.filter((row) => row.use === (question.tune ?? use) && row.type === question.quantization);
  }

  /* the question with one type of weights, in the columns of llm_fit_case */
  function questionOf(model, data, asked, quantization) {
    const { may_wait: mayWait } = data.llm_use.find((one) => one.use === asked.use);
    const measured = data.llm_weight.find((one) => one.llm_model_id === model.llm_model_id && one.quantization === quantization);
    return {
      ...model, quantization, tune: asked.tune, weight_bytes: measured?.weight_bytes ?? null, kv_bytes_per_value: 2, gpus: 1,
      context_tokens: Math.min(asked.context, model.model_context_tokens ?? asked.context), users: asked.users, may_wait: mayWait && !asked.tune,
    };
  }

  function typesOf(model, asked) {
    if (asked.tune) return [STORED[asked.tune]];
    return asked.quantization === BEST ? model.types : [asked.quantization];
  }

  /* Speeds and prices as stored, for one user of llama.cpp under the load of the use. What the tables lack is predicted. */
  async function speedsOf(data, model, question, asked) {
    const stored = () => llmRates(model, question, asked.use);
    const isStored = model.has_speeds && [LOCAL, PUBLISHED].includes(question.quantization) && asked.users === asked.load.users && asked.context === asked.load.context;
    if (asked.tune || isStored) return stored();
    await Promise.all([load("llm-speed.js"), load("llm-speed-data.js")]);
    return window.gpuledger.llmPredicted(data, model, question, asked, stored);
  }

  /* One question per type, and the GPUs as answers. */
  async function llmAnswer(data, model, asked) {
    const questions = typesOf(model, asked).map((type) => questionOf(model, data, asked, type));
    const rates = await Promise.all(questions.map((question) => speedsOf(data, model, question, asked)));
    return { questions, choices: window.gpuledger.llmChoose(data, questions.map((question, at) => [question, rates[at]]), asked.objective) };
  }

  /* How many requests of an offline batch, over all copies, are in memory at a time; empty where all fit. */
  function llmWaiting({ at_once: atOnce, copies }, users) {
    return atOnce < users ? gettext("{count} of {users} requests at once, the rest wait", { count: number(atOnce * copies), users: number(users * copies) }) : "";
  }

  const llmMachine = (data, { gpus }) => data.machine.find((row) => row.gpu_count === gpus)?.usd; // without its GPUs

  /* The use that a form has chosen: its load, and the type that is usual for it. */
  const llmUse = (form) => form.elements.use.selectedOptions[0].dataset;
  const llmLoad = (form) => ({ users: Number(llmUse(form).users), context: Number(llmUse(form).context) });

  const isOffered = ({ model, use }, { value, dataset }) =>
    (value === BEST ? use.value !== "single" : model.selectedOptions[0].dataset.types?.split(" ").includes(value) ?? !("rare" in dataset));

  /* The type that is usual for the model in the use, as `local_type` of pipeline/llm/memory.py for one user. */
  function usualType(form) {
    const { type } = llmUse(form);
    const published = [...form.elements.type.options].find((option) => option.value === PUBLISHED);
    return type === LOCAL && published && isOffered(form.elements, published) ? PUBLISHED : type;
  }

  /* Offers the types that the model has in the use; one that it lacks gives way to the usual one. */
  function offerTypes(form) {
    const { type } = form.elements;
    for (const option of type.options) option.hidden = option.disabled = !isOffered(form.elements, option);
    if (type.selectedOptions[0].disabled) type.value = usualType(form);
  }

  Object.assign(window.gpuledger, { llmAnswer, llmLoad, llmMachine, llmUse, llmTables, llmWaiting, offerTypes, ratesOf: llmRates, usualType });
})();
