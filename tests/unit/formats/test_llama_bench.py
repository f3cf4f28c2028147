"""llama-bench: Markdown, CSV, JSON, JSON lines and SQL, and the devices named beside them."""

import json

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TABLES = ["llama3_3090_v3", "llama3_4090_v3", "llama3_H100_PCIe_v3", "llama3_A100_PCIe_v3", "llama3_4070Ti_v3"]
MARKDOWN = """someone@host:~$ ./llama-bench -m /data/private/model.gguf
ggml_cuda_init: found 2 CUDA devices:
  Device 0: NVIDIA Example 1, compute capability 8.9, VMM: yes, VRAM: 24000 MiB
  Device 1: NVIDIA Example 1, compute capability 8.9, VMM: yes, VRAM: 24000 MiB
| model                | size       | params  | backend | ngl | fa | test            |            t/s |
| -------------------- | ---------: | ------: | ------- | --: | -: | --------------: | -------------: |
| llama 8B F16         |  14.96 GiB |  8.03 B | CUDA    |  99 |  1 |           pp512 |  100.50 ± 1.25 |
| llama 8B Q4_K - Small |  4.30 GiB |  8.03 B | CUDA    |  99 |  1 |   tg128 @ d4096 |   50.25 ± 0.25 |
| llama 8B Q4_K - Small |  4.30 GiB |  8.03 B | CUDA    |  99 |  1 |     pp512+tg128 |   70.00 ± 0.50 |

build: 1234abcd (4321)
"""
RECORD = {
    "build_commit": "abc1234", "build_number": 9, "cpu_info": "some CPU", "gpu_info": "NVIDIA Example 1", "backends": "CUDA",
    "model_filename": "/data/private/model.gguf", "model_type": "llama 8B Q8_0", "model_size": 1, "model_n_params": 2,
    "n_batch": 2048, "n_ubatch": 256, "type_k": "f16", "n_gpu_layers": 99, "split_mode": "layer", "flash_attn": False,
    "n_prompt": 512, "n_gen": 0, "n_depth": 0, "test_time": "2026-01-02T03:04:05Z", "avg_ns": 1000, "stddev_ns": 1,
    "avg_ts": 123.5, "stddev_ts": 0.5, "samples_ns": [1000, 1000], "samples_ts": [123.0, 124.0],
}  # fmt: skip
COLUMNS = [name for name in RECORD if not name.startswith("samples")]
VALUES = [str(int(v)) if isinstance(v, bool) else str(v) for name, v in RECORD.items() if name in COLUMNS]
CSV = ",".join(COLUMNS) + "\n" + ",".join(f'"{value}"' for value in VALUES) + "\n"
SQL = (
    "CREATE TABLE IF NOT EXISTS llama_bench (\n  build_commit TEXT,\n  avg_ts REAL\n);\n\n"
    f"INSERT INTO llama_bench ({', '.join(COLUMNS)}) VALUES ({', '.join(repr(v) for v in VALUES)});\n"
)


@pytest.mark.parametrize("file", TABLES)
def test_samples_of_tables(file: str) -> None:
    found = runs(f"llama-bench/{file}.md")
    wanted = expected(f"llama-bench/{file}.md")
    rows = [m for run in found for m in run.measurements]
    printed = [[m.test, f"{m.value_raw} ± {m.stddev:.2f}"] for m in rows]
    assert len(rows) == wanted["rows"]
    assert printed[: len(wanted["first"])] == [[row[5].replace(" ", ""), row[6]] for row in wanted["first"]]
    assert printed[-1] == [wanted["last"][0][5].replace(" ", ""), wanted["last"][0][6]]
    assert {run.run.tool_version for run in found} == set(wanted["builds"])
    assert {device.name_raw for run in found for device in run.devices} == set(wanted["devices"])
    assert all(run.run.status == "ok" and len(run.devices) == 1 for run in found)


def test_the_sample_of_2024() -> None:
    (run,) = runs("llama-bench/rtx4090_2024_old_pp_space_pr4766.md")
    wanted = expected("llama-bench/rtx4090_2024_old_pp_space_pr4766.md")
    f16 = {m.test: m.value for m in run.measurements if m.dtype == "fp16"}
    assert (len(run.measurements), f16) == (wanted["rows"], {"pp512": wanted["f16_pp512"], "tg128": wanted["f16_tg128"]})


@pytest.mark.parametrize("file", ["rtx4080_2025_schema.csv", "orin_2026_schema.csv"])
def test_samples_of_csv(file: str) -> None:
    (run,) = runs(f"llama-bench/{file}")
    wanted = expected(f"llama-bench/{file}")
    assert [(m.test, m.value) for m in run.measurements] == [("pp512", wanted["pp512_ts"])]
    assert run.devices[0].name_raw == wanted["gpu"]


def test_a_markdown_table() -> None:
    (run,) = read(MARKDOWN)
    prompt, generation, both = run.measurements
    assert (prompt.metric, prompt.value, prompt.stddev, prompt.unit) == ("prompt_throughput", 100.5, 1.25, "tokens/s")
    assert (prompt.dtype, prompt.n_gpus, prompt.device_ordinal) == ("fp16", 2, None)
    assert (generation.metric, generation.test, generation.dtype) == ("generation_throughput", "tg128 @ d4096", None)
    assert (both.metric, both.workload) == (
        "prompt_generation_throughput",
        "model=llama 8B Q4_K - Small; backend=CUDA; ngl=99; fa=1; model_size=4.30 GiB; parameters=8.03 B",
    )
    assert [device.memory_total_mib for device in run.devices] == [24000, 24000]
    assert (run.run.tool_version, run.run.layout_version, run.run.parser_version) == ("1234abcd (4321)", "markdown", 2)


@pytest.mark.parametrize("text", [CSV, SQL, json.dumps([RECORD]), json.dumps([RECORD], indent=1), json.dumps(RECORD)])
def test_records_of_every_layout_give_the_same_rows(text: str) -> None:
    (run,) = read(text)
    (rate,) = run.measurements
    assert (rate.value, rate.stddev, rate.test, rate.n_gpus, rate.device_ordinal) == (123.5, 0.5, "pp512", 1, 0)
    assert (rate.workload or "").startswith("model=llama 8B Q8_0; backend=CUDA; ngl=99; n_ubatch=256; fa=")
    assert (run.run.tool_version, str(run.run.started_at)) == ("abc1234 (9)", "2026-01-02 03:04:05")
    assert (rate.workload or "").endswith("; model_file=model.gguf; model_size=1 bytes; parameters=2")
    assert run.devices[0].name_raw == "NVIDIA Example 1"


def test_lines_of_json_are_one_run() -> None:
    text = json.dumps(RECORD) + "\n" + json.dumps(RECORD | {"n_prompt": 0, "n_gen": 128}) + "\n"
    (run,) = read(text)
    assert [m.test for m in run.measurements] == ["pp512", "tg128"]
    assert run.measurements[0].n_samples == 2


def test_paths_and_hosts_stay_out() -> None:
    for text in (MARKDOWN, CSV, SQL, json.dumps([RECORD])):
        assert "private" not in repr(read(text))
        assert "host" not in repr(read(text))


def test_a_cut_row_is_left_out_and_a_broken_one_refused() -> None:
    table = MARKDOWN.partition("\n\nbuild")[0]
    (run,) = read(table[:-2])
    assert (run.run.status, len(run.measurements)) == ("truncated", 2)
    with pytest.raises(RefusedError) as refused:
        read(MARKDOWN.replace("50.25 ± 0.25 |", "50.25"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 8)
    for text in (CSV, SQL):
        (run,) = read(text + text.splitlines()[-1][:-4])
        assert (run.run.status, len(run.measurements)) == ("truncated", 1)
    with pytest.raises(RefusedError) as refused:
        read(CSV.replace('"512",', "") + CSV.splitlines()[1])
    assert (refused.value.code, refused.value.line) == ("PARSE", 2)


def test_what_is_no_rate_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(MARKDOWN.replace("50.25 ± 0.25", "nan ± 0.25"))
    assert refused.value.code == "NOT_FINITE"
    with pytest.raises(RefusedError) as refused:
        read(json.dumps([RECORD | {"avg_ts": None}]))
    assert refused.value.code == "PARSE"


def test_other_backends_are_flagged() -> None:
    (run,) = read(MARKDOWN.replace("CUDA    |", "ROCm    |"))
    assert {m.flags for m in run.measurements} == {"non_cuda"}


ROW = "| llama 8B Q4_K - Small |  4.30 GiB |  8.03 B | CUDA    |  99 |  1 |   tg128 @ d4096 |   50.25 ± 0.25 |\n"


@pytest.mark.parametrize("between", ["\n", "\n\n", "llama_perf: a line of a log\n", "```\n"])
def test_rows_below_a_line_that_is_none_are_read(between: str) -> None:
    (run,) = read(MARKDOWN.replace(ROW, between + ROW))
    assert [m.test for m in run.measurements] == ["pp512", "tg128 @ d4096", "pp512+tg128"]
    (run,) = read(CSV + between + CSV.splitlines()[1].replace("123.5", "50.0") + "\n")
    assert [m.value for m in run.measurements] == [123.5, 50]


def test_a_broken_row_below_a_blank_line_is_refused_and_other_text_passed_over() -> None:
    with pytest.raises(RefusedError) as refused:
        read(MARKDOWN.replace(ROW, "\n| llama 8B Q4_K - Small |  4.30 GiB | 8.03 B |\n"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 9)
    for text, rows in ((MARKDOWN, 3), (CSV, 1)):
        (run,) = read(text + "\n| name | score |\n| ---- | ----- |\n| mine, and yours | 3 |\n\nThanks, all!\n")
        assert (len(run.measurements), run.run.status) == (rows, "ok")


TWO = {"gpu_info": "NVIDIA Example 1, NVIDIA Example 2", "split_mode": "none"}


@pytest.mark.parametrize(("main_gpu", "ordinal"), [(0, 0), (1, 1), ("1", 1), (2, None), (-1, None), ("", None)])
def test_without_a_split_the_main_gpu_is_the_one_measured(main_gpu: object, ordinal: int | None) -> None:
    (run,) = read(json.dumps(RECORD | TWO | {"main_gpu": main_gpu}))
    assert [(m.device_ordinal, m.n_gpus) for m in run.measurements] == [(ordinal, 1)]


@pytest.mark.parametrize(("split", "place"), [("none |  1", (1, 1)), ("none |  0", (0, 1)), (" row |  1", (None, 2))])
def test_the_main_gpu_of_a_table(split: str, place: tuple[int | None, int]) -> None:
    table = MARKDOWN.replace("| ngl | fa |", "|   sm | mg |").replace("|  99 |  1 |", f"| {split} |")
    (run,) = read(table)
    assert {(m.device_ordinal, m.n_gpus) for m in run.measurements} == {place}


def test_a_model_with_no_layer_on_the_gpu_is_flagged() -> None:
    for text in (MARKDOWN.replace("|  99 |", "|   0 |"), json.dumps(RECORD | {"n_gpu_layers": 0})):
        (run,) = read(text)
        assert {m.flags for m in run.measurements} == {"non_cuda"}


@pytest.mark.parametrize("setting", [{"n_cpu_moe": 8}, {"no_kv_offload": True}])
def test_experts_or_cache_on_the_cpu_are_flagged(setting: dict[str, object]) -> None:
    (run,) = read(json.dumps(RECORD | setting))
    assert [m.flags for m in run.measurements] == ["partial_offload"]


def test_a_table_whose_header_is_lost_is_refused() -> None:
    lines = MARKDOWN.split("\n")
    header = next(n for n, line in enumerate(lines) if line.startswith("| model"))
    second = [*lines[1:header], lines[header][:40], *lines[header + 1 :]]
    for text in (MARKDOWN + "\n".join(second), MARKDOWN + "\n".join(lines[header + 1 :]), "\n".join(second) + MARKDOWN):
        with pytest.raises(RefusedError) as refused:
            read(text)
        assert refused.value.code == "PARSE"
        assert refused.value.line


def test_json_that_is_cut_at_its_start_is_refused() -> None:
    records = [RECORD, RECORD | {"n_prompt": 0, "n_gen": 128}]
    for text in (
        json.dumps(records, indent=2),
        "\n".join(json.dumps(record) for record in records),
        json.dumps(records, indent=None),
    ):
        for start in (text.index("model_type"), text.index("samples_ts"), text.index("124.0")):
            with pytest.raises(RefusedError) as refused:
                read(text[start:])
            assert refused.value.code in ("PARSE", "UNKNOWN_FORMAT", "SCHEMA")
