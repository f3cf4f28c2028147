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


# field of each option
FIELDS = {
    "params": "n_parameters", "layers": "n_layers", "kv_heads": "n_kv_heads", "head_dim": "head_dim", "heads": "n_heads",
    "hidden": "hidden_size", "vocabulary": "vocabulary_size",
}  # fmt: skip


def collect_sizes(ctx: typer.Context) -> dict[str, Any]:
    """Return the sizes that the command line states, by field."""
    return {field: ctx.params[name] for name, field in FIELDS.items() if ctx.params[name] is not None}
