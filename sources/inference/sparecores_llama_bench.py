"""Spare Cores' runs of llama-bench on cloud machines with GPUs: prompt processing and token generation of six models."""

from pipeline.schema.llm import LlmRun
from sources import Line, Source, lines_of
from sources.inference.spare_cores import ATTRIBUTION, describe_machine

SOURCE = Source(
    source_id="sparecores-llama-bench",
    title="Spare Cores: llama-bench on cloud machines",
    kind="inference",
    yields=(LlmRun,),
    attribution=ATTRIBUTION,
    url="https://github.com/SpareCores/sc-inspector-data",
    licence="CC BY-SA 4.0",
    republish=True,
)
COLUMNS = (
    "vendor", "server", "gpu_raw", "gpu_count_seen", "vgpu", "ran_on", "model_file", "quantisation", "model_bytes", "n_prompt",
    "n_gen", "n_batch", "type_k", "build_commit", "build_number", "avg_tokens_per_s", "stddev_tokens_per_s", "n_samples",
    "test_time", "smi_gpus", "smi_memory_mib", "path", "commit",
)  # fmt: skip
KV_DTYPES = {"f16": "fp16", "q8_0": "q8_0", "q4_0": "q4_0"}


def _run(line: Line) -> LlmRun:
    """Return the run of one test on a machine."""
    prompt, generated = line.integer("n_prompt"), line.integer("n_gen")
    gpus = line.integer("gpu_count_seen")
    return line.record(
        LlmRun,
        **describe_machine(line),
        gpu_count=gpus,
        model_raw=line.text("model_file"),
        quantization=line.text("quantisation").lower(),
        kv_dtype=line.one_of("type_k", KV_DTYPES),
        weight_bytes=line.integer("model_bytes"),
        engine="llama.cpp",
        engine_version=f"{line.text('build_number')} ({line.text('build_commit')})",
        phase="prefill" if prompt else "decode",
        prompt_tokens=prompt,
        output_tokens=generated,
        concurrency=1.0,
        batch_size=1,
        prompt_batch_tokens=line.integer("n_batch"),
        tensor_parallel=1,
        pipeline_parallel=gpus,
        data_parallel=1,
        tokens_per_s=line.number("avg_tokens_per_s"),
        throughput_basis="measured",
        statistic="mean",
        measured_on=line.day_of("test_time"),
        mark="partial_offload" if line.text("ran_on") == "gpu_partial" else None,
    )


parse = lines_of(COLUMNS, _run, exactly=False)
