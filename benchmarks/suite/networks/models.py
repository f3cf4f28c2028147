"""Models to train: built from configurations with random weights and fed with random data. Nothing is downloaded."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
import transformers
from torch import nn

from benchmarks.suite.networks.vision import CLASSES, SEResNeXt

transformers.logging.set_verbosity_error()  # its messages would break the progress display
TAGS = 64  # classes per token of the tagger
TRANSLATION_WORDS = 33708  # of the WMT14 vocabulary shared by both languages
LSTM_WORDS = 10_000
TINY_PIXELS, TINY_TOKENS, TINY_WORDS = 32, 8, 100
Inputs = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model: its builder, the items of its input, and the batch at which all GPUs are compared."""

    name: str
    family: str  # cnn, transformer or rnn, as in the published tables
    item: str
    batch: int  # fits into 8 GB in mixed precision if the model itself does
    build: Callable[[bool], nn.Module]  # True = reduced to a few layers
    pixels: int = 0
    tokens: int = 0
    words: int = 0
    inputs: tuple[str, ...] = field(default=())  # names of the token inputs

    @property
    def optimiser(self) -> str:
        return "sgd" if self.family == "cnn" else "adamw"

    def batch_of(self, *, tiny: bool) -> int:
        """The stated batch; two items if the model is reduced."""
        return 2 if tiny else self.batch

    def input_size(self, tiny: bool) -> tuple[int, ...]:
        """The size of one input: channels, height and width of a picture, or the number of tokens."""
        if self.pixels:
            edge = TINY_PIXELS if tiny else self.pixels
            return 3, edge, edge
        return (TINY_TOKENS if tiny else self.tokens,)

    def shape(self, tiny: bool) -> str:
        """One input in words, for the settings of a figure."""
        size = self.input_size(tiny)
        return "x".join(map(str, size)) if self.pixels else f"{size[0]} tokens"

    def random_batch(self, count: int, device: torch.device, tiny: bool) -> Inputs:
        """Random inputs and labels for `count` items."""
        size = (count, *self.input_size(tiny))
        if self.pixels:
            pixels = torch.empty(size, device=device, memory_format=torch.channels_last)
            inputs = {"pixel_values": pixels, "labels": torch.empty(count, dtype=torch.int64, device=device)}
        else:
            inputs = {name: torch.empty(size, dtype=torch.int64, device=device) for name in (*self.inputs, "labels")}
        self.refill(inputs, tiny)
        return inputs

    def refill(self, inputs: Inputs, tiny: bool) -> None:
        """Fill the inputs with new random values in place, on the device: no further memory, no transfer."""
        words = TINY_WORDS if tiny else self.words
        classes = CLASSES if self.pixels else min(words, TAGS) if self.name == "bilstm" else words
        for name, values in inputs.items():
            if values.is_floating_point():
                values.normal_()
            else:
                values.random_(0, classes if name == "labels" else words)


class LSTMModel(nn.Module):
    """Embedding, LSTM layers, one class per token; its forward pass returns the loss."""

    def __init__(self, *, words: int, classes: int, width: int, layers: int, bidirectional: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.recur = nn.LSTM(width, width, layers, batch_first=True, bidirectional=bidirectional)
        self.classify = nn.Linear(width * (2 if bidirectional else 1), classes)

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        states, _ = self.recur(self.embed(input_ids))
        return nn.functional.cross_entropy(self.classify(states).flatten(0, 1), labels.flatten())


def _resnet(tiny: bool) -> nn.Module:
    cut = {"embedding_size": 8, "hidden_sizes": [16, 32], "depths": [1, 1]} if tiny else {}
    network: nn.Module = transformers.ResNetForImageClassification(transformers.ResNetConfig(num_labels=CLASSES, **cut))
    return network


def _efficientnet(tiny: bool, *, width: float, depth: float, pixels: int, dropout: float) -> nn.Module:
    if tiny:
        width, depth, pixels = width / 4, 0.25, TINY_PIXELS
    last = -(-round(1280 * width) // 8) * 8  # channels of the last convolution, a multiple of eight
    config = transformers.EfficientNetConfig(
        width_coefficient=width,
        depth_coefficient=depth,
        image_size=pixels,
        hidden_dim=last,
        dropout_rate=dropout,
        num_labels=CLASSES,
    )
    network: nn.Module = transformers.EfficientNetForImageClassification(config)
    return network


def _bert(tiny: bool, *, layers: int, width: int, heads: int) -> nn.Module:
    layers, width, heads, words = (2, 32, 2, TINY_WORDS) if tiny else (layers, width, heads, 30522)
    config = transformers.BertConfig(
        vocab_size=words, num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width
    )
    network: nn.Module = transformers.BertForMaskedLM(config)
    return network


def _gpt2(tiny: bool) -> nn.Module:
    cut = {"n_layer": 2, "n_embd": 32, "n_head": 2, "vocab_size": TINY_WORDS} if tiny else {}
    config = transformers.GPT2Config(use_cache=False, bos_token_id=0, eos_token_id=0, **cut)
    network: nn.Module = transformers.GPT2LMHeadModel(config)
    return network


def _translation(tiny: bool) -> nn.Module:
    """Six layers of encoder and six of decoder, as the big model of Vaswani et al., Attention Is All You Need (2017)."""
    layers, width, heads, words = (1, 32, 2, TINY_WORDS) if tiny else (6, 1024, 16, TRANSLATION_WORDS)
    config = transformers.MarianConfig(
        vocab_size=words,
        decoder_vocab_size=words,
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        activation_function="relu",
        use_cache=False,
        pad_token_id=0,
        eos_token_id=0,
        decoder_start_token_id=0,
    )
    network: nn.Module = transformers.MarianMTModel(config)
    return network


def _lstm(tiny: bool, *, bidirectional: bool) -> nn.Module:
    words, width = (TINY_WORDS, 32) if tiny else (LSTM_WORDS, 1024)
    classes = TAGS if bidirectional else words
    return LSTMModel(words=words, classes=classes, width=width, layers=2, bidirectional=bidirectional)


def _cnn(name: str, batch: int, pixels: int, build: Callable[[bool], nn.Module]) -> Model:
    return Model(name=name, family="cnn", item="images", batch=batch, pixels=pixels, build=build)


def _efficient(grade: str, batch: int, pixels: int, scale: tuple[float, float, float]) -> Model:
    width, depth, dropout = scale
    build = partial(_efficientnet, width=width, depth=depth, pixels=pixels, dropout=dropout)
    return _cnn(f"efficientnet-{grade}", batch, pixels, build)


def _language(name: str, sizes: tuple[int, int, int], build: Callable[[bool], nn.Module], family: str = "transformer") -> Model:
    batch, tokens, words = sizes
    inputs = ("input_ids", "decoder_input_ids") if name == "translation" else ("input_ids",)
    return Model(name=name, family=family, item="sequences", batch=batch, tokens=tokens, words=words, inputs=inputs, build=build)


_ALL = (
    _cnn("resnet50", 64, 224, _resnet),
    _cnn("se-resnext101", 32, 224, lambda tiny: SEResNeXt((1, 1)) if tiny else SEResNeXt()),
    _efficient("b0", 64, 224, (1.0, 1.0, 0.2)),
    _efficient("b3", 32, 300, (1.2, 1.4, 0.3)),
    _efficient("b7", 4, 600, (2.0, 3.1, 0.5)),
    _language("bert-base", (16, 384, 30522), partial(_bert, layers=12, width=768, heads=12)),
    _language("bert-large", (4, 384, 30522), partial(_bert, layers=24, width=1024, heads=16)),
    _language("gpt2", (4, 512, 50257), _gpt2),
    _language("translation", (32, 64, TRANSLATION_WORDS), _translation),
    _language("lstm", (64, 128, LSTM_WORDS), partial(_lstm, bidirectional=False), "rnn"),
    _language("bilstm", (64, 128, LSTM_WORDS), partial(_lstm, bidirectional=True), "rnn"),
)
MODELS = {model.name: model for model in _ALL}
