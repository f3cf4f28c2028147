"""How much of n cards' speed arrives: efficiency of 2, 4 and 8 cards by the link between them, at the same batch per card."""

import polars as pl

COUNTS = (2, 4, 8)
SAME = ("panel", "source_id", "workload", "family", "precision", "gpu_id", "batch_per_gpu")
GUIDE_ADVANTAGE = {"cnn": 0.05, "transformer": 0.07}  # A100 over V100, 8 cards, Dettmers 2020


def efficiencies(cells: pl.DataFrame) -> pl.DataFrame:
    """Rows of several cards with their throughput over n times that of one card of the same panel and batch: `efficiency`.

    Rows without such a row of one card are left out.
    """
    one = cells.filter(pl.col("gpu_count") == 1).group_by(SAME).agg(single=pl.col("throughput").median())
    many = cells.filter(pl.col("gpu_count").is_in(COUNTS))
    joined = many.join(one, on=list(SAME), maintain_order="left")
    return joined.with_columns(efficiency=pl.col("throughput") / (pl.col("gpu_count") * pl.col("single")))


def advantage(efficient: pl.DataFrame, cards_a: str, cards_b: str, gpu_count: int = 8) -> pl.DataFrame:
    """Efficiency of cards a over that of cards b (patterns of gpu_id) less 1, per panel and precision: column `advantage`."""
    same = ["panel", "source_id", "workload", "family", "precision"]
    at = efficient.filter(pl.col("gpu_count") == gpu_count)
    sides = [
        at.filter(pl.col("gpu_id").str.contains(p)).group_by(same).agg(pl.col("efficiency").median()) for p in (cards_a, cards_b)
    ]
    joined = sides[0].join(sides[1], on=same, suffix="_b")
    return joined.with_columns(advantage=pl.col("efficiency") / pl.col("efficiency_b") - 1).sort(same)
