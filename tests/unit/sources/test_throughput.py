"""Measured training throughput: every row accounted for, what batch and precision mean, and no figure counted twice."""

import datetime as dt
from collections import Counter

import duckdb
import pytest

from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.specs import GpuAlias
from pipeline.schema.throughput import (
    BaseSystemCost,
    GpuDie,
    LlmTrainingRun,
    LlmTuningRun,
    MlperfTraining,
    SystemInterconnect,
    TrainingThroughput,
    WorkloadFamily,
)
from sources import Accepted, Document, Rejected, UnparsableError
from sources.names import gpuledger_names
from sources.throughput import gpuledger_performance as inputs
from sources.throughput import lambda_deeplearning_benchmark as lambda_labs
from sources.throughput import llm_foundry, nemo_automodel
from sources.throughput import mlperf_training as mlperf
from sources.throughput import nvidia_deeplearningexamples as nvidia
from sources.throughput import nvidia_deeplearningexamples_2020 as nvidia_2020

MODULES = [lambda_labs, nvidia, nvidia_2020]
HEADER = ",".join(lambda_labs.COLUMNS)


def items(module):
    return [item for file in stored_files(module.SOURCE, DATA) for item in module.parse(file.document())]


def rows(module, kind=TrainingThroughput):
    return [item.row for item in items(module) if isinstance(item, Accepted) and isinstance(item.row, kind)]


def run_of_lambda(**fields):
    line = {
        "suite": "v0",
        "workload": "ssd",
        "precision": "fp16",
        "raw_gpu_name": "RTX 3090",
        "unit": "images/s",
        "cited_from": "x",
    }
    line |= {"gpu_count": "1", "batch_total": "64", "throughput": "300"} | fields
    text = f"{HEADER}\n{','.join(line.get(name, '') for name in lambda_labs.COLUMNS)}\n"
    (found,) = lambda_labs.parse(Document("data/raw/x/training.csv", text.encode(), dt.date(2026, 11, 20)))
    return found.row


@pytest.mark.parametrize(("module", "accepted", "rejected"), [(lambda_labs, 2624, 0), (nvidia, 926, 4), (nvidia_2020, 22, 0)])
def test_every_row_is_accepted_or_rejected(module, accepted, rejected):
    found = items(module)
    assert len(rows(module)) == accepted
    assert sum(isinstance(item, Rejected) for item in found) == rejected
    for file in stored_files(module.SOURCE, DATA):
        document = file.document()
        assert len(list(module.parse(document))) == document.rows_read > 0


def test_every_result_of_mlperf_is_one_row_with_a_known_gpu():
    found = rows(mlperf, MlperfTraining)
    assert len(items(mlperf)) == len(found) == 186
    assert len({(row.round, row.benchmark, row.gpu_count, row.raw_gpu_name) for row in found}) == 186
    aliases = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == "mlperf-training"}
    assert {row.raw_gpu_name for row in found} == aliases
    assert all(row.submitter and row.system and row.cited_from.startswith("mlcommons/training_results_") for row in found)


def test_every_run_of_llm_foundry_is_one_row_with_a_known_gpu():
    found = rows(llm_foundry, LlmTrainingRun)
    assert len(items(llm_foundry)) == len(found) == len({row.cited_from for row in found}) == 216
    aliases = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == "llm-foundry"}
    assert {row.raw_gpu_name for row in found} == aliases
    (run,) = [row for row in found if row.cited_from.endswith("line 184")]
    assert (run.model, run.gpu_count, run.raw_gpu_name, run.recomputes_activations) == ("7b", 8, "a100_80gb", False)


def test_every_run_of_automodel_is_one_row_with_a_known_gpu():
    found = rows(nemo_automodel, LlmTuningRun)
    assert len(items(nemo_automodel)) == len(found) == len({row.cited_from for row in found}) == 9
    aliases = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == "nemo-automodel"}
    assert {row.raw_gpu_name for row in found} == aliases
    assert {(row.gpu_count > 1, row.recomputes_activations) for row in found} == {(False, False), (True, True), (True, False)}


def test_rejected_rows_are_figures_cut_off_at_a_space():
    found = [item for item in items(nvidia) if isinstance(item, Rejected)]
    assert {item.reason_code for item in found} == {"TRUNCATED"}
    assert all(item.record.startswith("TensorFlow/Translation/GNMT") for item in found)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.SOURCE.source_id)
def test_every_label_workload_and_machine_is_known(module):
    runs = rows(module)
    aliases = {row.alias for row in rows(gpuledger_names, GpuAlias) if row.scope == module.SOURCE.source_id}
    assert {row.raw_gpu_name for row in runs} == aliases
    families = [row.workload for row in rows(module, WorkloadFamily)]
    assert len(families) == len(set(families))
    assert {row.workload for row in runs} == set(families)
    if SystemInterconnect in module.SOURCE.yields:
        several = {(row.raw_gpu_name, row.system) for row in runs if row.gpu_count > 1}
        assert several <= {(row.raw_gpu_name, row.system) for row in rows(module, SystemInterconnect)}


def test_batch_of_lambda_is_divided_over_the_gpus():
    assert run_of_lambda(gpu_count="8", batch_total="640").batch_per_gpu == 80
    assert run_of_lambda().flag is None


@pytest.mark.parametrize("fields", [{"batch_total": ""}, {"gpu_count": "8", "batch_total": "182"}])
def test_a_batch_that_is_not_known_keeps_the_row_out_of_fits(fields):
    row = run_of_lambda(**fields)
    assert (row.batch_per_gpu, row.flag) == (None, "batch_unknown")


def test_a_flag_of_the_source_stays():
    assert run_of_lambda(batch_total="", flag="suspect").flag == "suspect"
    assert Counter(row.flag for row in rows(lambda_labs) if row.flag) == {"suspect": 40, "batch_unknown": 7}


def test_eight_gpus_are_hardly_more_than_eight_times_as_fast_as_one():
    """A5500, BERT base: 3,168 on eight GPUs, 177 on one. Two and four are 1.9 and 4.6 times as fast."""
    found = [row for row in rows(lambda_labs) if row.flag is None]
    fastest: dict[tuple[object, ...], float] = {}
    for row in found:
        key = (row.suite, row.workload, row.precision, row.raw_gpu_name)
        if row.gpu_count == 1:
            fastest[key] = max(row.throughput, fastest.get(key, 0))
    ratios = [
        row.throughput / row.gpu_count / fastest[key]
        for row in found
        if (key := (row.suite, row.workload, row.precision, row.raw_gpu_name)) in fastest
    ]
    assert max(ratios) < 1.2


def test_machines_with_one_gpu_of_a_kind_are_about_as_fast_with_the_same_software():
    """Quadro RTX 8000, Transformer-XL base in 16 bits: 9,290 and, as "V1", 17,113 tokens/s, near the 18,223 of suite v1.

    Tacotron 2 depends on the host: seven machines with an H100 differ by more.
    """
    speeds: dict[tuple[object, ...], list[float]] = {}
    for row in rows(lambda_labs):
        if row.flag is None and row.gpu_count == 1 and row.workload != "tacotron2":
            speeds.setdefault((row.suite, row.workload, row.precision, row.raw_gpu_name), []).append(row.throughput)
    assert max(max(found) / min(found) for found in speeds.values()) < 1.35


def test_a_figure_printed_for_two_configurations_of_a_workload_counts_once():
    """BERT, V100 SXM3: 35.32 for 512 tokens in 16 bits and for 128 in 32 bits, where four GPUs make 48 each."""
    seen: dict[tuple[object, ...], list[str | None]] = {}
    for row in rows(nvidia):
        if not float(row.throughput).is_integer():
            seen.setdefault((row.workload, row.raw_gpu_name, row.throughput), []).append(row.flag)
    assert [key for key, flags in seen.items() if flags.count(None) > 1] == []
    flags = {row.flag for row in rows(nvidia) if row.raw_gpu_name == "V100 SXM3 32GB" and row.throughput == 35.32}
    assert flags == {None, "repeated"}


def test_one_gpu_is_not_half_as_fast_with_twice_the_batch():
    """WideAndDeep, V100: 691,413, 358,787 and 786,631 by batch. With XLA 736,865, 781,260 and 428,574: two are swapped."""
    key = ("TensorFlow2/Recommendation/WideAndDeep", "no XLA, table of batches", "fp32", "V100 SXM2 32GB", 1)
    found = [row for row in rows(nvidia) if (row.workload, row.variant, row.precision, row.raw_gpu_name, row.gpu_count) == key]
    assert {row.batch_per_gpu: row.flag for row in found} == {
        4096: None, 8192: None, 16384: None, 32768: None, 65536: "suspect", 131072: "suspect",
    }  # fmt: skip


def test_a_batch_that_contradicts_the_throughput_of_every_other_gpu_is_suspect():
    """RTX 3080 Max-Q, Tacotron 2: batch 2 at 9,254 mels/s. Every other GPU makes 59 to 374 mels/s for each item of its batch."""
    alone = [row for row in rows(lambda_labs) if row.workload == "tacotron2" and row.gpu_count == 1]
    found = [row for row in alone if row.system != "Quadro RTX 8000 V1"]  # of other software
    per_item = [(row.throughput / row.batch_per_gpu, row.raw_gpu_name, row.flag) for row in found]
    assert {(gpu, flag) for value, gpu, flag in per_item if value > 400} == {("RTX 3080 Max-Q", "suspect")}
    assert {flag for value, _, flag in per_item if value <= 400} == {None}


@pytest.mark.parametrize(("name", "text"), [("throughput", "fast"), ("gpu_count", "two"), ("batch_total", "many")])
def test_a_broken_field_is_named(name, text):
    with pytest.raises(UnparsableError, match=rf"training\.csv line 2: {name} = '{text}'"):
        run_of_lambda(**{name: text})


def test_nodes_count_with_their_gpus():
    """32 machines of 16 V100: the throughput is that of all 512."""
    found = [row for row in rows(nvidia) if row.gpu_count == 512]
    assert {row.system for row in found} == {"32x DGX"}
    assert {(row.precision, row.batch_per_gpu) for row in found} == {("amp", 60), ("fp32", 32), ("amp", 10), ("fp32", 4)}
    links = {row.system: row.interconnect for row in rows(nvidia, SystemInterconnect)}
    assert (links["DGX"], links["32x DGX"]) == ("nvlink", "multi_node")


def test_precision_is_that_of_the_column():
    for row in rows(nvidia):
        named = next((name for name in ("tf32", "fp32") if name in row.unit_cited.lower()), "amp")
        assert row.precision == named, row


def test_figures_in_millions_and_per_millisecond_are_per_second():
    (ncf,) = [row for row in rows(nvidia) if row.workload.endswith("/NCF") and row.gpu_count == 1 and row.precision == "tf32"]
    assert (ncf.throughput, ncf.batch_per_gpu, ncf.unit) == (22_590_000, 1048576, "samples/s")
    molecules = {row.throughput for row in rows(nvidia) if row.unit == "molecules/s"}
    assert (min(molecules), max(molecules)) == (1010, 21420)


def test_an_accumulated_batch_is_what_a_gpu_works_on_at_once():
    found = [row for row in rows(nvidia) if row.settings and "between updates" in row.settings]
    assert {(row.precision, row.batch_per_gpu) for row in found} == {("tf32", 128), ("amp", 256), ("tf32", 16), ("amp", 32)}


def test_no_measurement_is_counted_twice():
    """Neither within the later tables nor between them and those of 2020, which are a suite of their own."""
    kept = [row for row in rows(nvidia) if row.workload.endswith("/BERT") and not row.flag]
    bert = [(row.workload, row.precision, row.raw_gpu_name, row.gpu_count, row.throughput) for row in kept]
    assert len(bert) == len(set(bert))
    later = {(row.gpu_count, row.batch_per_gpu, row.throughput) for row in rows(nvidia)}
    assert not later & {(row.gpu_count, row.batch_per_gpu, row.throughput) for row in rows(nvidia_2020)}
    assert {row.suite for row in rows(nvidia)}.isdisjoint(row.suite for row in rows(nvidia_2020))


def test_inputs_of_the_model_say_what_is_assumed():
    costs = {row.gpu_count: row for row in rows(inputs, BaseSystemCost)}
    assert {count for count, row in costs.items() if not row.assumed} == {2}
    assert all(row.basis.startswith("assumption") == row.assumed for row in costs.values())
    assert len(rows(inputs, GpuDie)) == 32


def test_loaded_rows_have_gpu_family_and_link(release):
    with duckdb.connect(str(release / "gpuledger.duckdb"), read_only=True) as con:
        (broken,) = con.execute(
            """SELECT count(*) FROM training_throughput
            WHERE gpu_id IS NULL OR (gpu_count = 1 AND interconnect IS NOT NULL)
                OR (gpu_count > 1 AND interconnect IS NULL AND source_id <> 'nvidia-deeplearningexamples-2020')"""
        ).fetchone()
        published = "SELECT family, count(*) FROM workload_family WHERE source_id <> 'gpuledger-performance' GROUP BY ALL"
        families = dict(con.execute(published).fetchall())
        measured = {gpu for (gpu,) in con.execute("SELECT DISTINCT gpu_id FROM training_throughput").fetchall()}
        chips = {gpu for (gpu,) in con.execute("SELECT gpu_id FROM gpu_die").fetchall()}
        lambda_rows = "SELECT DISTINCT gpu_id FROM training_throughput WHERE source_id = 'lambda-deeplearning-benchmark'"
        of_lambda = {gpu for (gpu,) in con.execute(lambda_rows).fetchall()}
    assert broken == 0
    assert families == {"cnn": 21, "transformer": 16, "rnn": 5, "other": 5}
    assert measured - chips == {"nvidia-tesla-v100-sxm2-32gb", "nvidia-tesla-v100-sxm3-32gb"}
    assert chips == of_lambda
