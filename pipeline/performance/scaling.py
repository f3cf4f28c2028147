"""Scaling efficiency of 2, 4 and 8 GPUs by the link between them, at the same batch per GPU."""

import polars as pl

COUNTS = (2, 4, 8)
SAME = ("panel", "source_id", "workload", "family", "precision", "gpu_id", "batch_per_gpu")
GUIDE_ADVANTAGE = {"cnn": 0.05, "transformer": 0.07}  # A100 over V100, 8 GPUs, Dettmers 2020


def efficiencies(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of several GPUs with `efficiency`: throughput over n times that of one GPU of the same panel and batch.

    Rows without a matching row of one GPU have no efficiency.
    """
    one = cells.filter(pl.col("gpu_count") == 1).group_by(SAME).agg(single=pl.col("throughput").median())
    many = cells.filter(pl.col("gpu_count").is_in(COUNTS))
    joined = many.join(one, on=list(SAME), maintain_order="left")
    return joined.with_columns(efficiency=pl.col("throughput") / (pl.col("gpu_count") * pl.col("single")))


def advantage(efficient: pl.DataFrame, gpus_a: str, gpus_b: str) -> pl.DataFrame:
    """Return `advantage`: efficiency of 8 GPUs a over that of 8 GPUs b (patterns of gpu_id) less 1, per panel and precision."""
    same = ["panel", "source_id", "workload", "family", "precision"]
    at = efficient.filter(pl.col("gpu_count") == 8)
    sides = [
        at.filter(pl.col("gpu_id").str.contains(p)).group_by(same).agg(pl.col("efficiency").median()) for p in (gpus_a, gpus_b)
    ]
    joined = sides[0].join(sides[1], on=same, suffix="_b")
    return joined.with_columns(advantage=pl.col("efficiency") / pl.col("efficiency_b") - 1).sort(same)
