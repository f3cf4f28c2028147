/* Predicted speed of language models in the browser: the terms of pipeline/llm/speed_terms.py, classes and intervals of speed_model.py, and
   configurations.py and prediction.py under the same names. A test compares the answers with those of the command. `data` are the tables of
   llm-data.js, `speed` those of llm-speed-data.js; bytes, FLOP and seconds have no prefixes. Exports `gpuledger.llmPredicted`. */
(() => {
  "use strict";
  const { llmFit } = window.gpuledger;
  const COUNTS = [1, 2, 4, 8];
  const LOCAL = ["q4_k_m", "mxfp4_moe"];
  const SERVED = ["bf16", "fp8", "mxfp4", "int4"];
  const NARROW = ["fp8", "fp4"];
  const PACKED = ["mxfp4", "int4"];
  const OLDER_ENGINE = "argonne-llm-inference-bench";
  const UNPRICED = { usd_per_hour: null, provider: null, price_date: null, variant_stated: true };
  const FACTS = ["weight_bytes", "bandwidth", "tensor_flops", "clock_hz", "sm_count", "tdp_w", "link"];
  let speeds = null; // the tables as rows

  const units = (r) => r.sm_count * r.clock_hz;
  const context = (r) => r.prompt_tokens + r.output_tokens / 2;
  const cache = (r) => r.kv_bytes * context(r) + r.sliding_kv_bytes * Math.min(context(r), r.window_tokens);
  const state = (r) => 2 * r.state_bytes; // read and written
  const share = (r) => r.n_active_parameters / r.n_parameters;
  const read = (r) => share(r) + (1 - share(r)) * (1 - (1 - r.expert_share) ** Math.max(r.concurrency - 1, 0));
  const activeBytes = (r) => r.weight_bytes * share(r);
  const ubatch = (r) => Math.min(r.prompt_tokens, 512);

  const promptAttention = (r) => 2 * r.n_layers * r.attention_width * r.prompt_tokens;
  const lookedAt = (r) => Math.min(cache(r) / (r.kv_bytes + r.sliding_kv_bytes), 4352);

  function arithmetic(r) {
    const withoutOutput = r.n_active_parameters - r.vocabulary_size * r.hidden_size;
    const matrices = 2 * r.concurrency * (r.n_active_parameters + (withoutOutput * r.prompt_tokens) / r.output_tokens);
    return matrices + 4 * r.n_layers * r.attention_width * r.concurrency * (r.prompt_tokens ** 2 / 2 / r.output_tokens + context(r));
  }

  const exchanged = (r) => 4 * r.concurrency * (1 + r.prompt_tokens / r.output_tokens) * r.n_layers * r.hidden_size;

  const TERMS = {
    serving: {
      weights: (r) => (r.weight_bytes * read(r)) / r.bandwidth / r.gpu_count,
      kv_cache: (r) => (r.concurrency * (cache(r) / Math.min(r.gpu_count, r.n_kv_heads ?? 1) + state(r) / r.gpu_count)) / r.bandwidth,
      arithmetic: (r) => arithmetic(r) / r.tensor_flops / r.gpu_count,
      layers: (r) => r.n_layers / r.clock_hz,
      parallelism: (r) => r.n_layers * (r.gpu_count > 1),
      older_attention: (r) => (r.n_layers * r.attention_width * r.concurrency * lookedAt(r) * r.has_older_vllm_attention) / units(r) / r.gpu_count,
      links: (r) => (4 * exchanged(r) * (r.gpu_count - 1)) / r.gpu_count / r.link,
      unpacking: () => 0, // of a type that no form asks for
      sampling: (r) => (4 * r.concurrency * r.vocabulary_size) / r.bandwidth,
      experts: (r) => r.n_layers * (r.expert_share < 1),
      older_layers: (r) => r.n_layers * r.is_older,
      older_sequences: (r) => r.concurrency * r.is_older,
      sequences: (r) => r.concurrency,
    },
    decode: {
      weights: (r) => activeBytes(r) / r.bandwidth,
      kv_cache: (r) => (cache(r) + state(r)) / r.bandwidth,
      layers: (r) => r.n_layers / r.clock_hz,
      launches: (r) => r.n_layers * (!r.has_graphs || r.gpu_count > 1),
      emulation: (r) => (r.has_dp4a ? 0 : activeBytes(r) / r.fp32_flops),
      power: (r) => activeBytes(r) / r.tdp_w,
    },
    prefill: {
      arithmetic: (r) => (2 * r.n_active_parameters) / r.int8_ops,
      units: (r) => (2 * r.n_active_parameters) / units(r),
      layers: (r) => r.n_layers / ubatch(r),
      activations: (r) => (r.n_layers * r.hidden_size) / units(r),
      attention: (r) => promptAttention(r) / units(r),
      older_attention: (r) => (promptAttention(r) * r.has_older_llama_cpp_attention) / units(r),
    },
  };

  const sizeClass = (r) => (r.weight_bytes < 3e9 ? "under_3_gb" : "from_3_gb");

  /* Class of a configuration, whose errors give the interval. */
  function classOf(r) {
    const experts = r.expert_share < 1;
    if (r.phase !== "serving") return experts ? "experts" : (r.phase === "decode" && r.gpu_count > 1 ? "several_gpus_" : "") + sizeClass(r);
    if (r.is_older || experts) return r.is_older ? "older_engine" : "experts";
    if (r.crosses_pcie) return "pcie_group";
    if (r.concurrency < 22.6) return r.concurrency < 2.5 ? "concurrency_1" : "concurrency_8";
    return sizeClass(r) === "under_3_gb" ? "concurrency_64_under_3_gb" : "concurrency_64";
  }

  /* Tokens per second with their interval; null for a class without a fit. */
  function predict(speed, r) {
    const interval = speed.interval.find((one) => one.phase === r.phase && one.run_class === classOf(r));
    if (!interval) return null;
    const parts = speed.part.filter((one) => one.phase === r.phase && one.run_class === interval.fit);
    const seconds = parts.reduce((sum, { term, coefficient }) => sum + coefficient * TERMS[r.phase][term](r), 0);
    const tokens = (r.phase === "serving" ? r.concurrency : 1) / seconds;
    return { tokens_per_s: tokens, low: tokens / interval.factor_90, high: tokens * interval.factor_90 };
  }

  /* Whether these GPUs run the configuration, and every figure is known that its speed depends on. */
  function runs(r) {
    const sharesHeads = r.n_heads % r.gpu_count === 0 && (r.n_kv_heads === null || r.n_kv_heads % r.gpu_count === 0 || r.gpu_count % r.n_kv_heads === 0);
    const hasFp8 = r.tensor_8bit !== null && r.vendor === "NVIDIA";
    const hasType = (hasFp8 || !NARROW.includes(r.quantization)) && (r.runs_packed || !PACKED.includes(r.quantization));
    const isServed = r.phase !== "serving" || (r.runs_vllm && sharesHeads);
    return isServed && hasType && (!r.is_alone || r.gpu_count === 1) && FACTS.every((name) => r[name] !== null);
  }

  function factsOf(speed, question, gpu, count, weightGb, phase) {
    const facts = speed.gpu.find((one) => one.gpu_id === gpu.gpu_id);
    const measured = speed.measured.filter((one) => one.phase === phase && one.vendor === facts?.vendor);
    if (!measured.length) return null;
    const { bridge, link, is_on_pcie: isOnPcie, tensor_8bit: narrow, tensor_16bit: wide } = facts;
    const isBridged = phase === "serving" && count === 2 && bridge !== null;
    return {
      ...facts, ...speed.model.find((one) => one.llm_model_id === question.llm_model_id), phase, gpu_count: count, weight_bytes: weightGb * 1e9, quantization: question.quantization,
      is_older: measured.every((one) => one.source_id === OLDER_ENGINE), tensor_flops: NARROW.includes(question.quantization) ? narrow ?? wide : wide,
      link: isBridged ? bridge : link, crosses_pcie: isOnPcie && count > 1 && !isBridged,
    };
  }

  /* The numbers of GPUs that count, with the requests at a time on each: the fewest that fit, in llama.cpp also more, for a longer context,
     and where requests wait those up to the first with room for all. */
  function countsOf(data, asked, gpu, phase) {
    const { gpus_needed: needed } = llmFit(data, asked, gpu);
    const atOnce = (count) => (asked.may_wait ? llmFit(data, { ...asked, gpus: count }, gpu).at_once : asked.users);
    const counts = COUNTS.filter((count) => needed !== null && count >= needed).map((count) => [count, atOnce(count)]);
    const enough = counts.findIndex(([, requests]) => requests === asked.users);
    return phase !== "serving" || enough < 0 ? counts : counts.slice(0, enough + 1);
  }

  /* Speeds of a phase with these lengths and requests. */
  function phaseSpeeds(data, speed, question, phase, lengths) {
    const asked = { ...question, gpus: 1, context_tokens: lengths.prompt_tokens + lengths.output_tokens, users: lengths.concurrency, may_wait: phase === "serving" && question.may_wait };
    return data.gpu.flatMap((gpu) => {
      const { weight_gb: weightGb } = llmFit(data, asked, gpu);
      return countsOf(data, asked, gpu, phase).flatMap(([count, concurrency]) => {
        const facts = factsOf(speed, question, gpu, count, weightGb, phase);
        const row = { ...facts, ...lengths, concurrency };
        const found = facts && runs(row) ? predict(speed, row) : null;
        return found ? [{ gpu_id: gpu.gpu_id, gpu_count: count, ...found }] : [];
      });
    });
  }

  /* A request of one user in llama.cpp: the times of prompt and output add up. */
  function requests(load, prompts, outputs) {
    const time = (prompt, output, name) => load.prompt_tokens / prompt[name] + load.output_tokens / output[name];
    return outputs.flatMap((output) => {
      const prompt = prompts.find((one) => one.gpu_id === output.gpu_id && one.gpu_count === output.gpu_count);
      return prompt ? [{ ...output, ...Object.fromEntries(["tokens_per_s", "low", "high"].map((name) => [name, load.output_tokens / time(prompt, output, name)])) }] : [];
    });
  }

  function local(data, speed, question, load) {
    const steps = load.isStored ? [[512, 0], [0, 128]] : [[load.prompt_tokens, 0], [load.prompt_tokens, load.output_tokens]];
    const [prompts, outputs] = ["prefill", "decode"].map((phase, at) =>
      phaseSpeeds(data, speed, question, phase, { prompt_tokens: steps[at][0], output_tokens: steps[at][1], concurrency: 1 }));
    return requests(load, prompts, outputs);
  }

  /* Rates of a model in the columns of llmRates: predicted output tokens per second of all copies, and the cheapest offer that has room for
     one; a GPU without an offer has the speed of one copy. */
  function predictRates(data, speed, question, load) {
    const isKnown = question.hidden_size && question.vocabulary_size && question.n_heads && speed.model.some((one) => one.llm_model_id === question.llm_model_id);
    if (!isKnown) return [];
    const type = question.quantization;
    const served = SERVED.includes(type) ? phaseSpeeds(data, speed, question, "serving", load) : [];
    const found = LOCAL.includes(type) && load.concurrency === 1 ? local(data, speed, question, load) : served;
    return found.map((one) => {
      const copies = load.concurrency > 1 ? COUNTS : [1];
      const offers = copies.map((count) => [count, data.offer.find((offer) => offer.gpu_id === one.gpu_id && offer.gpu_count === one.gpu_count * count)]);
      const [count, offer] = offers.find(([, known]) => known) ?? [1, UNPRICED];
      const all = { tokens_per_s: one.tokens_per_s * count, low: one.low * count, high: one.high * count };
      return { ...offer, ...one, ...all, copies: count, basis: "predicted", unranked: !(one.high <= 2 * one.low) };
    });
  }

  /* The lengths and requests of the question: those of the use, or the reader's own, of which prompt and output have the shares of the use. */
  function loadOf({ prompt_tokens: prompt, output_tokens: output, concurrency }, asked, contextTokens) {
    const isUsual = asked.context === asked.load.context || asked.context === prompt + output;
    const ownOutput = Math.max(1, Math.round((contextTokens * output) / (prompt + output)));
    const lengths = isUsual ? [prompt, output] : [Math.max(1, contextTokens - ownOutput), ownOutput];
    return { prompt_tokens: lengths[0], output_tokens: lengths[1], concurrency: asked.users, isStored: isUsual && asked.users === concurrency };
  }

  /* Rates with predicted ones: of a model or a load that the tables lack, or of GPUs that nobody rents out. `stored` returns those of the tables, of
     which one with a price counts. */
  async function llmPredicted(data, model, question, asked, stored) {
    speeds ??= window.gpuledger.tablesOf(window.gpuledger.llmSpeedData);
    const load = loadOf(data.llm_use.find((one) => one.use === asked.use), asked, question.context_tokens);
    const known = load.isStored ? await stored() : [];
    const predicted = predictRates(data, speeds, question, load);
    const gpus = new Set(known.map((one) => one.gpu_id));
    if (load.isStored && model.has_speeds) return [...known, ...predicted.filter((one) => !gpus.has(one.gpu_id))];
    const all = [...known, ...predicted, ...known.filter((one) => one.usd_per_hour !== null)];
    return [...new Map(all.map((one) => [`${one.gpu_id} ${one.gpu_count}`, one])).values()];
  }

  window.gpuledger.llmPredicted = llmPredicted;
})();
