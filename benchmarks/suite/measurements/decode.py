"""Language-model inference: reading a prompt (prefill), then one token at a time (decode) from a cache of keys and values.

The decoder is of the Llama kind: RMS norm, rotary positions, SwiGLU. On CUDA a decode step is captured once as a graph, so that
the work of the device is timed and not the launching of its many small kernels.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from benchmarks.suite.context import Context
from benchmarks.suite.machine.precision import AUTOCAST, missing
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import Pace, build_figure, wall_times

WARM_UP_STEPS = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a decoder."""

    layers: int
    width: int
    heads: int
    inner: int
    words: int


BILLION = Shape(layers=16, width=2048, heads=16, inner=5632, words=32000)  # 0.95 billion weights
TINY = Shape(layers=2, width=64, heads=4, inner=128, words=100)


class Layer(nn.Module):
    """Attention over the cache, followed by the gated feed-forward network."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, width = shape.heads, shape.width
        self.attention_norm, self.inner_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate_up, self.down = nn.Linear(width, 2 * shape.inner, bias=False), nn.Linear(shape.inner, width, bias=False)

    def forward(self, x: torch.Tensor, cache: torch.Tensor, at: "Place") -> torch.Tensor:
        """x: batch x tokens x width; cache: 2 x batch x heads x length x width of a head, written at the tokens' positions."""
        batch, tokens, width = x.shape
        split = self.qkv(self.attention_norm(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        queries, keys = _rotate(split[0], at), _rotate(split[1], at)
        cache.index_copy_(3, at.positions, torch.stack((keys, split[2])))
        if at.visible is None:
            mixed = functional.scaled_dot_product_attention(queries, keys, split[2], is_causal=True)
        else:
            mixed = functional.scaled_dot_product_attention(queries, cache[0], cache[1], attn_mask=at.visible)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        gate, up = self.gate_up(self.inner_norm(x)).chunk(2, dim=-1)
        output: torch.Tensor = x + self.down(functional.silu(gate) * up)
        return output


@dataclass(frozen=True, slots=True)
class Place:
    """Positions of tokens, their rotation, and the places of the cache that each may attend to (tokens x length).

    `visible` is None for a prompt, which starts at the beginning and attends to itself only.
    """

    positions: torch.Tensor
    cosine: torch.Tensor
    sine: torch.Tensor
    visible: torch.Tensor | None


def _rotate(x: torch.Tensor, at: Place) -> torch.Tensor:
    """Apply rotary positions. Source: Su et al., RoFormer (2021)."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat((left * at.cosine - right * at.sine, left * at.sine + right * at.cosine), dim=-1)


class Decoder(nn.Module):
    """A decoder with room for `batch` sequences of `length` tokens in its cache."""

    def __init__(self, shape: Shape, batch: int, length: int) -> None:
        super().__init__()
        head = shape.width // shape.heads
        self.embed, self.classify = nn.Embedding(shape.words, shape.width), nn.Linear(shape.width, shape.words, bias=False)
        self.layers, self.norm = nn.ModuleList(Layer(shape) for _ in range(shape.layers)), nn.RMSNorm(shape.width)
        angles = torch.outer(torch.arange(length).float(), 10_000 ** (-torch.arange(0, head, 2).float() / head))
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())
        self.register_buffer("cache", torch.zeros(shape.layers, 2, batch, shape.heads, length, head))

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """The most likely next token of each sequence (batch x 1); tokens: batch x count, positions: count."""
        cosine, sine, cache = self.get_buffer("cosine"), self.get_buffer("sine"), self.get_buffer("cache")
        is_prompt = tokens.shape[1] > 1
        visible = None if is_prompt else torch.arange(len(cosine), device=tokens.device) <= positions[:, None]
        at = Place(positions, cosine[positions], sine[positions], visible)
        x = self.embed(tokens)
        for layer, layer_cache in zip(self.layers, cache, strict=True):
            x = layer(x, layer_cache, at)
        output: torch.Tensor = self.classify(self.norm(x[:, -1:])).argmax(-1)
        return output


def measure(context: Context) -> Iterator[MeasuredFigure]:
    """Yield tokens per second of prefill and of decode, all sequences of the batch together, and the time between two tokens."""
    name = next(name for name in ("bf16", "fp16") if missing(name, context.device) is None)
    for batch in context.profile.decode_batches:
        yield from _of_batch(context, batch, name)


@torch.inference_mode()
def _of_batch(context: Context, batch: int, dtype: str) -> Iterator[MeasuredFigure]:
    profile, device = context.profile, context.device
    with device:
        length = profile.prompt_tokens + profile.generated_tokens + WARM_UP_STEPS
        decoder = Decoder(TINY if profile.tiny else BILLION, batch, length).to(AUTOCAST[dtype])
    prefill, generate = _calls(context, decoder, batch)
    settings = {
        "model": "decoder cut down" if profile.tiny else "decoder of 1 billion weights",
        "prompt": str(profile.prompt_tokens), "generated": str(profile.generated_tokens),
    }  # fmt: skip
    common = {"device": context.ordinal, "n_gpus": 1, "dtype": dtype, "batch_size": batch, "settings": settings}
    prefills = _seconds(context, prefill)
    yield build_figure("prompt_throughput", [batch * profile.prompt_tokens / s for s in prefills], test="prefill", **common)
    decodes = _seconds(context, generate)
    yield build_figure("generation_throughput", [batch * profile.generated_tokens / s for s in decodes], test="decode", **common)
    yield build_figure("inter_token_latency", [1e3 * s / profile.generated_tokens for s in decodes], test="decode", **common)


def _seconds(context: Context, call: Callable[[], object]) -> list[float]:
    """Seconds of each counted call, after one call to warm up."""
    return wall_times(context.device, call, 1 + context.profile.runs, context.deadline)[1:]


def _calls(context: Context, decoder: Decoder, batch: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Functions that read the prompt, and that generate after it."""
    device, prompt = context.device, context.profile.prompt_tokens
    words = torch.randint(0, decoder.embed.num_embeddings, (batch, prompt), device=device)
    everywhere = torch.arange(prompt, device=device)
    token, position = words[:, :1].clone(), torch.full((1,), prompt, device=device)

    def step() -> None:
        token.copy_(decoder(token, position))
        position.add_(1)

    replay = _captured(step) if device.type == "cuda" else step

    def generate() -> None:
        token.copy_(words[:, -1:])  # the graph keeps no tensor alive: whatever it reads must be referred to here
        position.fill_(prompt)
        pace = Pace(device, context.deadline)
        for _ in range(context.profile.generated_tokens):
            pace.keep()
            replay()

    return (lambda: decoder(words, everywhere)), generate


def _captured(step: Callable[[], None]) -> Callable[[], None]:
    """Capture the step as a CUDA graph, after the warm-up on a side stream that capturing requires."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay
