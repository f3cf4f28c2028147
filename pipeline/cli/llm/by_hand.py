"""Options that describe a language model by hand, of the commands `fits` and `recommend`."""

from typing import Annotated, Any

import typer

Params = Annotated[float | None, typer.Option(metavar="N", help="Without --model: parameters, like 8e9.")]
Layers = Annotated[int | None, typer.Option(metavar="N", help="Without --model: layers.")]
KvHeads = Annotated[int | None, typer.Option(metavar="N", help="Without --model: KV heads.")]
HeadDim = Annotated[int | None, typer.Option(metavar="N", help="Without --model: values per head.")]
Heads = Annotated[int | None, typer.Option(metavar="N", help="Without --model: attention heads, if known.")]
Hidden = Annotated[int | None, typer.Option(metavar="N", help="Without --model: hidden size, if known.")]
Vocabulary = Annotated[int | None, typer.Option(metavar="N", help="Without --model: vocabulary, if known.")]


def collect_sizes(*sizes: float | None) -> dict[str, Any]:
    """Return the sizes that the options by hand state, by field; they are in the order of these options."""
    fields = ("n_parameters", "n_layers", "n_kv_heads", "head_dim", "n_heads", "hidden_size", "vocabulary_size")
    return {field: size for field, size in zip(fields, sizes, strict=True) if size is not None}
