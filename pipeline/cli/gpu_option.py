"""The option --gpu of the commands: a gpu_id, a name, or a label as sellers write it."""

import duckdb

from pipeline import gpu_identity
from pipeline.cli.output import fail
from pipeline.errors import suggest
from pipeline.gpu_identity import Resolution


def find_gpu(con: duckdb.DuckDBPyConnection, label: str) -> str:
    """Return the gpu_id that the option means; one that leaves the variant open ends the command with the variants."""
    gpu_ids = find_variants(con, label)
    if len(gpu_ids) > 1:
        fail(f"--gpu {label!r} does not state the variant; choose from {', '.join(gpu_ids)}")
    return gpu_ids[0]


def find_variants(con: duckdb.DuckDBPyConnection, label: str) -> tuple[str, ...]:
    """Return the GPUs that the option can mean: one, or the variants of a model. An unknown GPU ends the command."""
    rows = con.execute("SELECT gpu_id, name FROM gpu ORDER BY 1").fetchall()
    for gpu_id, name in rows:
        if label.lower() in (gpu_id, name.lower()):
            return (gpu_id,)
    found = gpu_identity.resolve(label)
    gpu_ids = tuple(gpu_id for gpu_id, _ in rows if gpu_id in (found.gpu_id, *found.candidates))
    if not gpu_ids:
        fail(_unknown(label, found, [gpu_id for gpu_id, _ in rows]))
    if found.partition != "whole" or (found.gpu_count or 1) > 1:
        fail(f"--gpu {label!r} is not one whole GPU; choose from {', '.join(gpu_ids)}")
    return gpu_ids


def _unknown(label: str, found: Resolution, gpu_ids: list[str]) -> str:
    """Return the error of an unknown GPU, with the nearest gpu_ids."""
    near = suggest("-".join(label.split()), gpu_ids, '`gpuledger query "SELECT gpu_id FROM gpu"`', cutoff=0.3)
    return f"--gpu {label!r}: {found.reason or 'the database lacks this GPU'}; {near}"
