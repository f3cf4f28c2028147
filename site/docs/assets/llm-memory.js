/* Memory of language models in the browser: pipeline/metrics/llm/llm_fit.sql and the functions of pipeline/macros/llm_*.sql, step by step under
   the same names. A test compares the answers of both. `data` are the tables llm_quantization and llm_engine as rows, a question has the columns
   of llm_fit_case, null is unknown. Exports `gpuledger.llmFit(data, question, gpu)`. */
(() => {
  "use strict";
  const MOST_GPUS = 16;
  const known = (value) => value !== null && value !== undefined;

  const llmWeightBytes = (parameters, embedding, output, perWeight, perEmbedding, perOutput) =>
    (parameters - embedding - output) * perWeight + embedding * perEmbedding + output * perOutput;
  const llmKvBytesPerLayer = (heads, dim, q) =>
    (known(q.kv_lora_rank) ? q.kv_lora_rank + q.qk_rope_head_dim : 2 * heads * dim) * q.kv_bytes_per_value;
  const llmKvBytes = (q, { full, sliding, state }) =>
    q.n_full_layers * full * q.context_tokens + q.n_sliding_layers * sliding * Math.min(q.context_tokens, q.window_tokens ?? q.context_tokens) + state;

  /* Tokens for which the cache of these sequences is within the bytes; Infinity where every layer has a window. */
  function llmMaxContext(budget, q, { full, sliding }, sequences) {
    const every = q.n_full_layers * full + q.n_sliding_layers * sliding;
    if (q.n_sliding_layers === 0 || budget <= every * q.window_tokens * sequences) return Math.floor(budget / (every * sequences));
    return q.n_full_layers > 0 ? Math.floor((budget / sequences - q.n_sliding_layers * sliding * q.window_tokens) / (q.n_full_layers * full)) : Infinity;
  }

  /* Bytes of the cache per token in a layer of each kind, with the heads in so many groups. */
  const layerBytes = (q, headGroups) => ({
    full: (q.kv_share ?? 1) * llmKvBytesPerLayer(Math.ceil((q.n_global_kv_heads ?? q.n_kv_heads) / headGroups), q.global_head_dim ?? q.head_dim, q)
      + (q.index_bytes_per_token ? q.index_bytes_per_token / q.n_full_layers : 0),
    sliding: llmKvBytesPerLayer(Math.ceil(q.n_kv_heads / headGroups), q.head_dim, q),
    state: q.state_bytes_per_sequence ?? 0,
  });

  function llmLoraParameters(q) {
    const head = q.head_dim ?? q.hidden_size / q.n_heads;
    const dense = q.intermediate_size ? 3 * (q.hidden_size + q.intermediate_size) : 0;
    return q.lora_rank * q.n_layers * (2 * (q.hidden_size + q.n_heads * head) + 2 * (q.hidden_size + q.n_kv_heads * head) + dense);
  }

  const llmTuningBytes = (trained, areAdapters) => trained * (areAdapters ? 16 : 14);
  const llmActivationBytes = (q) => 2 * q.n_layers * q.hidden_size + 34 * q.hidden_size + 4 * q.vocabulary_size; // of one token

  function weightsOf(q, type) {
    const matrix = (q.vocabulary_size ?? 0) * (q.hidden_size ?? 0);
    const narrow = known(q.hidden_size) && q.hidden_size % type.row_multiple > 0;
    const embedding = q.tied_embeddings ? 0 : matrix;
    const [perWeight, perEmbedding, perOutput] = narrow
      ? [type.narrow_bytes_per_weight, type.narrow_bytes_per_output_weight, type.narrow_bytes_per_output_weight]
      : [type.bytes_per_weight, type.bytes_per_embedding_weight, type.bytes_per_output_weight];
    return q.weight_bytes ?? llmWeightBytes(q.n_parameters, embedding, matrix, perWeight, perEmbedding, perOutput);
  }

  function sized(data, q) {
    const type = data.llm_quantization.find((one) => one.quantization === q.quantization);
    const name = q.tune ? "PyTorch" : type.family === "gguf" ? "llama.cpp" : "vLLM";
    const tuning = q.tune === "full" ? llmTuningBytes(q.n_parameters, false) : q.tune ? llmTuningBytes(llmLoraParameters(q), true) : 0;
    return {
      q, type, engine: data.llm_engine.find((one) => one.engine === name), weights: weightsOf(q, type), tuning,
      tokenActivations: q.tune ? llmActivationBytes(q) : 0, userKv: q.tune ? 0 : llmKvBytes(q, layerBytes(q, 1)),
    };
  }

  const llmReserveGb = ({ reserve_gb: reserve, gb_per_1000_hidden: perHidden }, hidden) => reserve + (perHidden * (hidden ?? 4096)) / 1000;

  /* The part of weights and training state on the GPU with the largest part; null where n GPUs cannot share the model. */
  function weightPart({ q, engine: { split } }, n) {
    if (split === "layer") return n <= q.n_layers ? Math.ceil(q.n_layers / n) / q.n_layers : null;
    if (split === "sharded") return 1 / n;
    const sharesKv = known(q.kv_lora_rank) || !known(q.n_kv_heads) || q.n_kv_heads % n === 0 || n % q.n_kv_heads === 0;
    return (known(q.n_heads) && q.n_heads % n !== 0) || !sharesKv ? null : 1 / n;
  }

  /* The cache per token in a layer on that GPU: some heads of every layer, or every head of some layers. */
  function partBytes({ q, engine: { split } }, n, part) {
    const { full, sliding, state } = layerBytes(q, split === "tensor" ? n : 1);
    const layers = split === "tensor" ? 1 : part;
    return { full: full * layers, sliding: sliding * layers, state: state * part };
  }

  function placed(size, n, gpu) {
    const { q, tokenActivations } = size;
    const part = weightPart(size, n);
    const usableGb = gpu.visible_gb * size.engine.usable_share - llmReserveGb(size.engine, q.hidden_size);
    if (part === null) return { usableGb, gpuGb: null, fits: null, leftBytes: 0, maxUsers: 0, atOnce: q.may_wait ? 1 : q.users };
    const fixedGb = ((size.weights + size.tuning) * part) / 1e9;
    const bytes = partBytes(size, n, part);
    const userPart = q.tune ? q.context_tokens * tokenActivations : llmKvBytes(q, bytes);
    const leftBytes = 1e9 * (usableGb - fixedGb);
    const maxUsers = leftBytes > 0 ? Math.floor(leftBytes / userPart) : 0;
    const atOnce = q.may_wait ? Math.max(Math.min(q.users, maxUsers), 1) : q.users;
    const gpuGb = fixedGb + (atOnce * userPart) / 1e9;
    return { usableGb, gpuGb, fits: gpuGb <= usableGb, leftBytes, bytes, maxUsers, atOnce };
  }

  function maxContext({ q, tokenActivations }, { leftBytes, bytes, atOnce }) {
    const cacheBytes = leftBytes - (q.tune ? 0 : atOnce * (bytes?.state ?? 0));
    if (cacheBytes <= 0) return 0;
    const most = q.tune ? Math.floor(leftBytes / (q.users * tokenActivations)) : llmMaxContext(cacheBytes, q, bytes, atOnce);
    const limited = Math.min(most, q.model_context_tokens ?? Infinity);
    return limited === Infinity ? null : limited;
  }

  const RUNS_16_BIT = ["CDNA 2", "CDNA 3", "CDNA 4", "RDNA 3", "RDNA 4"];
  const RUNS_NARROW = ["CDNA 3", "CDNA 4", "RDNA 4"];

  function runsOnAmd(architecture, quantization) {
    if (architecture === "CDNA" || (quantization === "fp8" && ["CDNA 2", "RDNA 3"].includes(architecture))) return false;
    const able = { fp16: RUNS_16_BIT, bf16: RUNS_16_BIT, fp8: RUNS_NARROW, mxfp4: RUNS_NARROW }[quantization];
    return able?.includes(architecture) ? true : null;
  }

  function llmRuns(engine, { vendor, architecture, segment, compute_capability: capability }, quantization) {
    if (engine === "llama.cpp") return segment !== "accelerator" ? true : vendor === "Huawei" ? null : false;
    if (engine !== "vLLM") return null;
    if (vendor === "AMD") return runsOnAmd(architecture, quantization);
    if (!known(capability)) return null;
    if (Number(capability) >= 8) return true;
    if (Number(capability) < (quantization === "bf16" ? 8 : 7.5)) return false;
    return quantization === "fp8" ? true : null;
  }

  /* The columns of llm_fit for one question and GPU. */
  function llmFit(data, question, gpu) {
    const size = sized(data, question);
    const place = placed(size, question.gpus, gpu);
    const counts = Array.from({ length: MOST_GPUS }, (_, at) => at + 1);
    return {
      engine: size.engine.engine, visible_gb: gpu.visible_gb, usable_gb: place.usableGb, weight_gb: size.weights / 1e9, at_once: place.atOnce, kv_gb: (place.atOnce * size.userKv) / 1e9, tuning_gb: size.tuning / 1e9,
      activation_gb: (question.context_tokens * question.users * size.tokenActivations) / 1e9, gpu_gb: place.gpuGb, fits: place.fits,
      runs: llmRuns(size.engine.engine, gpu, question.quantization),
      gpus_needed: counts.find((n) => placed(size, n, gpu).fits) ?? null,
      max_context_tokens: maxContext(size, place), max_users: place.maxUsers,
    };
  }

  (window.gpuledger ??= {}).llmFit = llmFit;
})();
