"""Answers on different pages agree, no GPU without the memory for a task has a time, and no AMD GPU has a rank in training."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.writing import labels, numbers
from tests.build.pages.site_pages import body_rows

TASKS = ("stylegan_xl_training", "yolor_inference", "efficientnet_training")
FAMILIES = ("all", "cnn", "transformer", "rnn")
RANKINGS = {  # tables that rank GPUs by training, by page
    "speedups/index.html": ("index-table", "pair-table", "external-pair-table"),
    "value/index.html": ("value-table", "job-table"),
    **{f"workloads/{family}/index.html": ("time-table",) for family in FAMILIES},
    "llm/fine-tuning/index.html": ("tuning-table",),
}


def linked_rows(text: str, table: str) -> dict[str, str]:
    """The text of the rows of a table whose first cell links a GPU, by its id."""
    body = text.split(f'id="{table}"', 1)[1].split("</tbody>", 1)[0].split("<tbody>", 1)[1].split("</tr>")[:-1]
    ids = [re.search(r'gpus/([^/"]+)/', row) for row in body]
    rows = zip(ids, body_rows(text, table), strict=True)
    return {found[1]: row for found, row in rows if found}


def too_small(con: duckdb.DuckDBPyConnection, task: str) -> set[str]:
    """GPUs with less memory than every one that finished a task."""
    sql = """SELECT gpu_id FROM gpu WHERE memory_gb < (
        SELECT min(g.memory_gb) FROM guide_run AS r JOIN guide_machine AS m USING (source_id, machine)
        JOIN gpu AS g ON g.gpu_id = m.gpu_id
        WHERE r.task = ? AND r.status = 'ok' AND m.gpu_count = 1)"""
    return {gpu_id for (gpu_id,) in con.execute(sql, [task]).fetchall()}


@pytest.mark.parametrize("task", TASKS)
def test_no_gpu_without_the_memory_has_a_time(site: Path, con: duckdb.DuckDBPyConnection, task: str) -> None:
    small = too_small(con, task)
    timed = con.execute("SELECT gpu_id FROM workload_time WHERE workload = ? AND seconds IS NOT NULL", [task]).fetchall()
    assert timed
    assert not small & {gpu_id for (gpu_id,) in timed}
    shown = linked_rows((site / "workloads" / task.replace("_", "-") / "index.html").read_text(), "time-table")
    assert small & set(shown)
    for gpu_id in small & set(shown):
        assert re.search(r"out of\s+memory|not\s+known", shown[gpu_id]), shown[gpu_id]


def test_no_gpu_below_the_memory_of_the_stated_training_has_a_time(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    least = """SELECT min(g.memory_gb) FROM guide_epoch JOIN guide_machine AS m USING (source_id, machine)
        JOIN gpu AS g ON g.gpu_id = m.gpu_id WHERE model = 'EfficientNet B7'"""
    small = f"SELECT gpu_id FROM gpu WHERE memory_gb < ({least})"
    ids = {gpu_id for (gpu_id,) in con.execute(small).fetchall()}
    assert ids
    assert con.execute(f"SELECT count(*) FROM training_job WHERE gpu_id IN ({small})").fetchall() == [(0,)]
    assert not ids & set(linked_rows((site / "value" / "index.html").read_text(), "job-table"))


@pytest.mark.parametrize("page", RANKINGS)
def test_no_amd_gpu_has_a_rank_in_training(site: Path, con: duckdb.DuckDBPyConnection, page: str) -> None:
    other = {gpu_id for (gpu_id,) in con.execute("SELECT gpu_id FROM gpu WHERE vendor <> 'NVIDIA'").fetchall()}
    text = (site / page).read_text()
    for table in RANKINGS[page]:
        shown = set(linked_rows(text, table))
        assert shown, table
        assert not shown & other, table


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT gpu_id FROM performance_index",
        "SELECT gpu_id FROM performance_rank",
        "SELECT gpu_id FROM value_rank",
        "SELECT gpu_id FROM value_index",
        "SELECT gpu_id FROM training_job",
        "SELECT gpu_id FROM llm_tuning_cost",
        "SELECT gpu_id FROM workload_time WHERE kind <> 'specification' AND seconds IS NOT NULL",
        """SELECT gpu_id FROM scenario_rank JOIN scenario USING (scenario_id)
            WHERE rank IS NOT NULL AND workload <> 'memory-bandwidth'""",
    ],
)
def test_no_table_of_training_has_an_amd_gpu(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert con.execute(f"SELECT count(*) FROM ({sql})").fetchall() != [(0,)]
    assert con.execute(f"SELECT DISTINCT vendor FROM ({sql}) JOIN gpu USING (gpu_id)").fetchall() == [("NVIDIA",)]


def test_predicted_times_of_the_stated_training_follow_the_index(con: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT count(*) FROM training_job AS a, training_job AS b
        JOIN performance_index AS i ON (i.gpu_id, i.family, i.precision) = (a.gpu_id, 'cnn', 'fp32')
        JOIN performance_index AS j ON (j.gpu_id, j.family, j.precision) = (b.gpu_id, 'cnn', 'fp32')
        WHERE a.basis = 'predicted' AND b.basis = 'predicted' AND i.index > j.index"""
    ((pairs,),) = con.execute(sql).fetchall()
    assert pairs > 5000
    assert con.execute(f"{sql} AND a.seconds_per_epoch > b.seconds_per_epoch * (1 + 1e-9)").fetchall() == [(0,)]


@pytest.mark.parametrize("table", ["workload_time", "training_job"])
def test_a_bounded_or_faster_gpu_contradicts_no_prediction(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """No prediction says that a GPU of a lower index is surely faster than one of a higher index: the ranges overlap."""
    key = "workload" if table == "workload_time" else "'job'"
    times = f"(SELECT {key} AS job, * FROM {table})"
    sql = f"""SELECT a.gpu_id, b.gpu_id FROM {times} AS a JOIN {times} AS b USING (job)
        JOIN performance_index AS i ON (i.gpu_id, i.family, i.precision) = (a.gpu_id, 'cnn', 'fp32')
        JOIN performance_index AS j ON (j.gpu_id, j.family, j.precision) = (b.gpu_id, 'cnn', 'fp32')
        WHERE a.basis <> 'measured' AND b.basis <> 'measured' AND i.index > j.index AND a.seconds_low > b.seconds_high
            AND job IN ('job', 'stylegan_xl_training', 'yolor_inference', 'efficientnet_training')"""
    assert con.execute(sql).fetchall() == []


TOO_WIDE = "basis = 'predicted' AND seconds_high > 2 * seconds_low"


def test_no_ranked_choice_is_wider_than_a_factor_of_2(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute(f"SELECT count(*) > 0 FROM scenario_rank WHERE {TOO_WIDE} AND unranked").fetchall() == [(True,)]
    assert con.execute(f"SELECT count(*) FROM scenario_rank WHERE {TOO_WIDE} AND rank IS NOT NULL").fetchall() == [(0,)]
    silent = "SELECT count(*) FROM scenario_rank WHERE unranked AND NOT contains(reason, 'too uncertain for a rank')"
    assert con.execute(silent).fetchall() == [(0,)]
    advised = f"""SELECT count(*) FROM recommendation AS r
        JOIN scenario_rank AS c ON (c.scenario_id, c.gpu_id) = (r.scenario_id, r.today_gpu_id) WHERE {TOO_WIDE}"""
    assert con.execute(advised).fetchall() == [(0,)]


def unranked(con: duckdb.DuckDBPyConnection, table: str, condition: str = "true") -> dict[str, str]:
    """GPUs with a predicted time that has no rank, by their name as pages shorten it."""
    sql = f"""SELECT gpu_id, name FROM {table} JOIN gpu USING (gpu_id)
        WHERE {condition} AND basis = 'predicted' AND (seconds_high IS NULL OR seconds_high > 2 * seconds_low)"""
    return {labels.short_gpu(name, gpu_id): gpu_id for gpu_id, name in con.execute(sql).fetchall()}


def sentence(text: str, pattern: str) -> str:
    """The plain text of the first part of a page that matches."""
    found = re.search(pattern, text, re.DOTALL)
    assert found, pattern
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])).replace("\N{NO-BREAK SPACE}", " ")


def test_no_lead_names_a_gpu_without_a_rank_and_its_row_is_grey(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT DISTINCT workload FROM workload_time WHERE kind <> 'specification'"
    found = 0
    for (workload,) in con.execute(sql).fetchall():
        text = (site / "workloads" / workload.replace("_", "-") / "index.html").read_text()
        lead = sentence(text, r'class="?gl-lead"?>(.*?)</p>')
        out = unranked(con, "workload_time", f"workload = '{workload}'")
        named = set(re.findall(r": the ([^,]+),", lead))
        assert named, lead
        assert not named & set(out), (workload, lead)
        body = text.split('id="time-table"', 1)[1]
        grey = re.findall(r'<tr[^>]*class="?gl-unranked"?[^>]*>.*?gpus/([^/"]+)/', body, re.DOTALL)
        assert set(grey) == set(out.values()), workload
        found += len(out)
    assert found > 30


def test_the_stated_training_ranks_measured_gpus_alone(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    out = unranked(con, "training_job")
    assert len(out) > 100
    text = (site / "value" / "index.html").read_text()
    told = sentence(text, r'id="?job"?.*?<p>(.*?)</p>')
    assert "Cheapest on one GPU" in told
    ranked, _, predicted = told.partition(" Only 2 of ")
    assert not [name for name in out if f" {name.removeprefix('GeForce ')}," in ranked], told
    assert "Cheapest by prediction" in predicted, "all of them cost less than the T4"
    assert re.search(r"Only 2 of \d+ GPUs have a rank", told), told
    first = list(linked_rows(text, "job-table"))[:2]
    assert set(first) == {"nvidia-t4-16gb", "nvidia-geforce-gtx-1070-8gb"}


@pytest.mark.parametrize("task", TASKS)
def test_two_pages_give_a_task_the_same_time(site: Path, con: duckdb.DuckDBPyConnection, task: str) -> None:
    """The page of the workload, and the page of value."""
    own = linked_rows((site / "workloads" / task.replace("_", "-") / "index.html").read_text(), "time-table")
    text = (site / "value" / "index.html").read_text()
    link = f"workloads/{task.replace('_', '-')}/"
    rows = text.split('id="task-table"', 1)[1].split("</tbody>", 1)[0].split("</tr>")
    shown = {found[1] for row in rows if link in row and (found := re.search(r'gpus/([^/"]+)/', row))}
    assert shown
    times = dict(con.execute("SELECT gpu_id, seconds FROM workload_time WHERE workload = ?", [task]).fetchall())
    for row in rows:
        found = re.search(r'gpus/([^/"]+)/', row)
        if link in row and found and times[found[1]] is not None:
            time = numbers.duration(times[found[1]])
            assert str(time) in row.replace("&#160;", "\N{NO-BREAK SPACE}"), (found[1], time)
            assert str(time) in own[found[1]], (found[1], time)


def test_the_page_of_a_gpu_gives_the_index_of_the_list(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    listed = linked_rows((site / "speedups" / "index.html").read_text(), "index-table")
    sql = "SELECT gpu_id, index FROM performance_index WHERE family = 'all' AND precision = 'fp16'"
    found = con.execute(sql).fetchall()
    assert set(listed) == {gpu_id for gpu_id, _ in found}
    for gpu_id, index in found[::7]:
        assert str(numbers.ratio(index)) in listed[gpu_id]
        own = body_rows((site / "gpus" / gpu_id / "index.html").read_text(), "performance-table")
        assert any(str(numbers.ratio(index)) in row for row in own), gpu_id
