"""The command `recommend` for workloads: ranks, reasons and limits."""

from pathlib import Path

import pytest

from tests.command import ask, gpuledger


def test_recommend_ranks_and_gives_reasons(built: Path) -> None:
    rows = ask(built, "recommend", "--workload", "efficientnet_training", "--rent")
    chosen, out = [row for row in rows if row["rank"]], [row for row in rows if not row["rank"]]
    assert [row["rank"] for row in chosen] == [str(n) for n in range(1, len(chosen) + 1)]
    assert chosen[0]["usd_per_run"] == min((row["usd_per_run"] for row in chosen), key=float)
    assert "cheapest" in chosen[0]["reason"]
    assert all(row["reason"].startswith("out: ") for row in out)
    assert {row["gpu_id"] for row in out if "memory" in row["reason"]} >= {
        "nvidia-quadro-m4000-8gb",
        "nvidia-quadro-rtx-4000-8gb",
    }


@pytest.mark.parametrize("workload", ["cnn", "transformer", "rnn", "all", "all-fp32", "memory-bandwidth"])
def test_recommend_knows_kinds_of_work(built: Path, workload: str) -> None:
    rows = ask(built, "recommend", "--workload", workload, "--objective", "fastest", "--vendor", "NVIDIA")
    seconds = [float(row["seconds"]) for row in rows if row["rank"]]
    assert len(seconds) > 10
    assert seconds == sorted(seconds)
    assert all(row["seconds_low"] or row["basis"] == "measured" or workload == "memory-bandwidth" for row in rows if row["rank"])
    assert {row["basis"] for row in rows if row["rank"]} <= {"measured", "predicted"}


def test_the_removed_workload_of_language_models_names_its_replacement(built: Path) -> None:
    result = gpuledger("recommend", "--workload", "llm-decode", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 2
    assert "--model" in result.stderr


def test_recommend_takes_several_terms_and_the_limits_of_a_machine(built: Path) -> None:
    terms = ["--buy", "--older-prices", "--gpus", "4", "--max-slots", "8", "--max-watts", "1300", "--min-memory", "48"]
    rows = ask(built, "recommend", "--workload", "all", *terms)
    reasons = {row["gpu_id"]: row["reason"] for row in rows}
    assert "do not fit 8 slots" in ask_reason(built, "nvidia-geforce-rtx-4090-24gb", *terms[:6])
    assert "above 1300 W" in reasons["nvidia-rtx-pro-6000-blackwell-workstation-96gb"]
    assert not reasons["nvidia-l40-48gb"].startswith("out: ")
    spot = ask(built, "recommend", "--workload", "all", "--billing", "spot", "--billing", "on_demand")
    dear = {row["gpu_id"]: float(row["usd_per_run"]) for row in ask(built, "recommend", "--workload", "all") if row["rank"]}
    assert all(float(row["usd_per_run"]) <= dear[row["gpu_id"]] for row in spot if row["rank"] and row["gpu_id"] in dear)


def ask_reason(built: Path, gpu_id: str, *terms: str) -> str:
    """Answer of `recommend` for one GPU."""
    return next(row["reason"] for row in ask(built, "recommend", "--workload", "all", *terms) if row["gpu_id"] == gpu_id)


def test_every_limit_of_recommend_excludes_with_its_reason(built: Path) -> None:
    base = ["recommend", "--workload", "stylegan_xl_training"]
    for option, reason in {
        ("--min-memory", "40"): "40 GB asked for",
        ("--budget", "0.6", "--hours", "1"): "above the budget of 0.60 USD",
        ("--min-cuda", "10.0"): "needs CUDA",
        ("--billing", "spot"): "no offer on these terms is for this GPU",
    }.items():
        assert any(reason in row["reason"] for row in ask(built, *base, *option)), option


def test_a_workload_may_be_named_as_in_addresses_of_the_site(built: Path) -> None:
    named = [ask(built, "recommend", "--workload", name) for name in ("stylegan-xl-training", "stylegan_xl_training")]
    assert named[0] == named[1]


def test_without_a_gpu_the_terms_that_count_are_named(built: Path) -> None:
    asked = ("recommend", "--workload", "all", "--provider", "salad", "--db", str(built / "gpuledger.duckdb"))
    assert "Only on_demand offers count; add other terms with --billing." in " ".join(gpuledger(*asked).stderr.split())
    assert "Rent " in gpuledger(*asked, "--billing", "marketplace").stderr
