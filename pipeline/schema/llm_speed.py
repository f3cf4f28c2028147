"""Tables of the speed model of language models: predictions beside measured runs, and speeds of popular models."""

from typing import Annotated

from pipeline.schema.core import Col, Record, record
from pipeline.schema.performance import BASES

PHASES = ("prefill", "decode", "serving")
SIZES = ("all", "under_3_gb", "from_3_gb")
CLASSES = (
    "under_3_gb", "from_3_gb", "several_gpus_under_3_gb", "several_gpus_from_3_gb",
    "concurrency_1", "concurrency_8", "concurrency_64", "concurrency_64_under_3_gb", "pcie_group", "experts", "older_engine",
)  # fmt: skip
CLASS = (
    "Class of the interval: size of the weights, the same on several GPUs in llama.cpp, requests in progress (many of a "
    "small model apart), several GPUs over PCIe in vLLM, mixture of experts, or engine of 2024"
)
PHASE = "prefill: tokens of a prompt; decode: output of one sequence; serving: output of all requests, prompts included"


@record(
    "llm_prediction", title="Predicted and measured speed of language models", group="llm",
    key=(
        "phase", "source_id", "gpu_id", "llm_model_id", "engine", "quantization", "prompt_tokens", "output_tokens", "concurrency",
        "tensor_parallel", "gpu_count", "is_fitted",
    ),
)
class LlmPrediction(Record):
    """One row per measured configuration of a known GPU: the predicted speed beside the measured one and a roofline. All runs of that
    GPU are left out of fit and interval. Runs of several machines are one row, their median.
    """

    phase: Annotated[str, Col(PHASE, values=PHASES)]
    run_class: Annotated[str, Col(CLASS, values=CLASSES)]
    source_id: Annotated[str, Col("Source of the measurement", references="source.source_id")]
    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    llm_model_id: Annotated[str, Col("Model", references="llm_model.llm_model_id")]
    engine: Annotated[str, Col("Inference engine")]
    quantization: Annotated[str, Col("Stored type of the weights; bf16 where the source states none")]
    prompt_tokens: Annotated[int, Col("Prompt", "token", least=0)]
    output_tokens: Annotated[int, Col("Output", "token", least=0)]
    concurrency: Annotated[float, Col("Requests at a time; those whose cache has no room wait, and do not count in run_class", above=0)]
    tensor_parallel: Annotated[int, Col("Tensor parallelism", above=0)]
    gpu_count: Annotated[int, Col("GPUs of the run", above=0)]
    n_runs: Annotated[int, Col("Measured runs", above=0)]
    measured_tokens_per_s: Annotated[float, Col("Measured speed", "tokens/s", above=0)]
    predicted_tokens_per_s: Annotated[float, Col("Predicted speed, without runs of this GPU", "tokens/s", above=0)]
    roofline_tokens_per_s: Annotated[
        float,
        Col(
            "Speed at peak bandwidth and arithmetic times one efficiency, likewise", "tokens/s", above=0
        ),
    ]
    is_covered: Annotated[bool, Col("Whether the 90% interval contains the measurement")]
    is_fitted: Annotated[bool, Col("Whether fits for other GPUs use the row; not for InferenceX, nor for output on several GPUs in llama.cpp")]


@record(
    "llm_speed", title="Speed of popular language models", group="llm",
    key=("llm_model_id", "gpu_id", "gpu_count", "quantization", "use", "phase"),
)
class LlmSpeed(Record):
    """One row per popular model, use, type of weights, GPU and number of GPUs. That number is the fewest of 1, 2, 4 or 8 on which
    they fit. Files of llama.cpp have rows for more GPUs too, for a longer context. Where requests may wait, there are rows up to
    the first number with room for all. Measured where such a run exists, else predicted. A vendor without
    measurements in a phase has no row in it. 16-bit, FP8, MXFP4 and INT4 weights run in vLLM, Q4_K_M and the MXFP4 file in
    llama.cpp, for one user.
    """

    llm_model_id: Annotated[str, Col("Model", references="llm_model.llm_model_id")]
    gpu_id: Annotated[str, Col("GPU", references="gpu.gpu_id")]
    gpu_count: Annotated[int, Col("GPUs", check="gpu_count IN (1, 2, 4, 8)")]
    is_fewest: Annotated[bool, Col("Whether model and use do not fit on fewer of 1, 2, 4 or 8 GPUs")]
    quantization: Annotated[str, Col("Stored type of the weights", references="llm_quantization.quantization")]
    engine: Annotated[str, Col("Inference engine; for AMD the vLLM of 2024")]
    use: Annotated[str, Col("Use", references="llm_use.use")]
    phase: Annotated[str, Col(PHASE, values=PHASES)]
    prompt_tokens: Annotated[int, Col("Prompt", "token", least=0)]
    output_tokens: Annotated[int, Col("Output", "token", least=0)]
    concurrency: Annotated[float, Col("Requests in progress: those of the use, or as many as fit where the others may wait", above=0)]
    tokens_per_s: Annotated[
        float,
        Col(
            "Measured speed, the median of runs, else the predicted one; all GPUs together", "tokens/s", above=0
        ),
    ]
    low: Annotated[
        float | None,
        Col(
            "Low end of the 90% interval of a prediction; of several measurements the lowest, of one the speed over factor_90 of llm_repeat",
            "tokens/s",
            check="low <= tokens_per_s",
        ),
    ]
    high: Annotated[float | None, Col("High end, likewise", "tokens/s", check="high >= tokens_per_s")]
    predicted_tokens_per_s: Annotated[float, Col("Predicted speed, also where a measured one exists", "tokens/s", above=0)]
    basis: Annotated[str, Col("Whether tokens_per_s was measured", values=BASES)]
    n_measurements: Annotated[int, Col("Machines that were measured", least=0)]


@record("llm_speed_part", title="Parts of the predicted time of language models", group="llm", key=("phase", "run_class", "term"))
class LlmSpeedPart(Record):
    """One row per phase, size of models and term of the speed model: its fitted coefficient, and its part of the time in an
    example. The example is Llama 3.1 8B on an H100 SXM: chat in vLLM with 16-bit weights, or prompt and output of one user in
    llama.cpp with Q4_K_M.
    """

    phase: Annotated[str, Col(PHASE, values=PHASES)]
    run_class: Annotated[str, Col("Size of the models that the fit is for; all = every size", values=SIZES)]
    term: Annotated[str, Col("Term, as named in pipeline/llm/speed_terms.py")]
    term_number: Annotated[int, Col("Position in the formula", above=0)]
    coefficient: Annotated[float, Col("Fitted coefficient, per unit of the term; 0 = not used", least=0)]
    example_s: Annotated[float | None, Col("Part of the time of a step in the example; empty where the fit is not for the example's model", "s", least=0)]
    n_runs: Annotated[int, Col("Measured configurations that the fit uses", above=0)]
    n_gpus: Annotated[int, Col("GPUs among them", above=0)]


@record("llm_speed_interval", title="Intervals of predicted speeds of language models", group="llm", key=("phase", "run_class"))
class LlmSpeedInterval(Record):
    """One row per phase and class of runs: the factor of the 90% interval of a predicted speed. With the coefficients of
    llm_speed_part it predicts any model and load, as the form of the home page and `gpuledger recommend` do.
    """

    phase: Annotated[str, Col(PHASE, values=PHASES)]
    run_class: Annotated[str, Col(CLASS, values=CLASSES)]
    fit: Annotated[str, Col("Fit that predicts the class: run_class in llm_speed_part", values=SIZES)]
    factor_90: Annotated[float, Col("The interval is the predicted speed divided and multiplied by this", "ratio", least=1)]
