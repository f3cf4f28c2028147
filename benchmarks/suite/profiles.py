"""Three profiles: sizes and counts of a quick, a full and a test run. Free of torch."""

from dataclasses import dataclass

MIB = 2**20
TRAINED = {  # description by name; `models` builds them
    "resnet50": "ResNet-50, images of 224 pixels",
    "se-resnext101": "SE-ResNeXt-101 32x4d, images of 224 pixels",
    "efficientnet-b0": "EfficientNet-B0, images of 224 pixels",
    "efficientnet-b3": "EfficientNet-B3, images of 300 pixels",
    "efficientnet-b7": "EfficientNet-B7, images of 600 pixels",
    "bert-base": "BERT-base, masked language model, 384 tokens",
    "bert-large": "BERT-large, masked language model, 384 tokens",
    "gpt2": "GPT-2 (124 million weights), 512 tokens",
    "translation": "translation Transformer of 12 layers, 64 tokens",
    "lstm": "language model of 2 LSTM layers, width 1024, 128 tokens",
    "bilstm": "tagger of 2 bidirectional LSTM layers, width 1024, 128 tokens",
}
MICRO = ("memory", "transfer", "peer", "all-reduce", "matmul")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Sizes and counts of one profile."""

    name: str
    text: str
    workloads: tuple[str, ...]
    budget_s: float
    repetitions: int  # of micro benchmarks
    warm_up_s: float
    memory_bytes: tuple[int, ...]  # of one buffer; sizes below four times the L2 cache are skipped
    transfer_bytes: tuple[int, ...]
    matmul_edges: tuple[int, ...]
    matmul_batch: int  # of 32x32 products in one call
    best_shape_edges: tuple[int, ...]  # start of the search for the best shape; none = no search
    precisions: tuple[str, ...]  # of training
    tiny: bool = False  # models reduced to a few layers, to test the code
    epoch_steps: int  # at the stated batch; an epoch has the same number of items at any batch
    runs: int  # counted epochs
    searched: tuple[str, ...] = ()  # models whose maximum batch is searched
    batch_resolution: int  # the search ends at the maximum / this
    largest_batch: int  # upper limit of the search
    curve: bool  # every doubling between the stated and the maximum batch
    prompt_tokens: int
    generated_tokens: int
    decode_batches: tuple[int, ...]


QUICK = Profile(
    name="quick",
    text="within 5 minutes on one data-center GPU: micro benchmarks, four models at a stated batch, two at their maximum",
    workloads=(*MICRO, "decode", "train-resnet50", "train-bert-base", "train-gpt2", "train-lstm"),
    budget_s=270,
    repetitions=20,
    warm_up_s=0.3,
    memory_bytes=(256 * MIB, 1024 * MIB),
    transfer_bytes=(64 * MIB, 256 * MIB),
    matmul_edges=(32, 1024, 4096, 8192),
    matmul_batch=16384,
    best_shape_edges=(4096, 8192, 16384),
    precisions=("fp16",),
    epoch_steps=20,
    runs=3,
    searched=("resnet50", "bert-base"),
    batch_resolution=16,
    largest_batch=2**16,
    curve=False,
    prompt_tokens=512,
    generated_tokens=64,
    decode_batches=(1, 16),
)
FULL = Profile(
    name="full",
    text="an hour or more: every model in every precision, maximum batch, the batch curve between, several GPUs together",
    workloads=(*MICRO, "decode", *(f"train-{name}" for name in TRAINED), "data-parallel"),
    budget_s=4 * 3600,
    repetitions=50,
    warm_up_s=1.0,
    memory_bytes=(256 * MIB, 1024 * MIB, 4096 * MIB),
    transfer_bytes=(1 * MIB, 16 * MIB, 256 * MIB, 1024 * MIB),
    matmul_edges=(32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),
    matmul_batch=16384,
    best_shape_edges=(2048, 4096, 6144, 8192, 12288, 16384),
    precisions=("fp32", "tf32", "fp16", "bf16"),
    epoch_steps=40,
    runs=5,
    searched=tuple(TRAINED),
    batch_resolution=128,
    largest_batch=2**16,
    curve=True,
    prompt_tokens=512,
    generated_tokens=128,
    decode_batches=(1, 4, 16, 64),
)
TEST = Profile(
    name="test",
    text="a minute on a processor: every workload at toy sizes, to test the suite; its figures describe no GPU",
    workloads=FULL.workloads,
    budget_s=60,
    repetitions=3,
    warm_up_s=0.01,
    memory_bytes=(4 * MIB,),
    transfer_bytes=(1 * MIB,),
    matmul_edges=(32, 64),
    matmul_batch=64,
    best_shape_edges=(64,),
    precisions=("fp32",),
    tiny=True,
    epoch_steps=2,
    runs=3,
    searched=("lstm",),
    batch_resolution=4,
    largest_batch=8,
    curve=True,
    prompt_tokens=16,
    generated_tokens=4,
    decode_batches=(1, 2),
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL, TEST)}
