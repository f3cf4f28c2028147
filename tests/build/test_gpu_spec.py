"""gpu_spec in the built database: which value is chosen, and what its sources say of it."""

import pytest

from pipeline.schema.specs import Gpu

CORE = ("memory_gb", "memory_bandwidth_gb_per_s", "fp32_tflops", "fp16_tensor_tflops", "tdp_w")
IDENTITY = ("gpu_id", "gpu_model_id", "name", "vendor")
COLUMNS = {column.name: column for column in Gpu.__table__.columns if column.name not in IDENTITY}


def _chosen(con, attribute):
    rows = con.execute("SELECT gpu_id, value, value_text FROM gpu_spec WHERE chosen AND attribute = ?", [attribute]).fetchall()
    return {gpu_id: number if number is not None else text for gpu_id, number, text in rows}


def _as_listed(value):
    """A value of gpu as gpu_spec lists it: numbers as they are, everything else as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, int | float | str) else value.isoformat()


def test_gpus_are_many(con):
    assert con.execute("SELECT count(*) FROM gpu").fetchone()[0] >= 110


def test_attributes_are_those_of_gpu_with_their_units(con):
    listed = dict(con.execute("SELECT DISTINCT attribute, coalesce(unit, '') FROM gpu_spec").fetchall())
    empty = {name for name in COLUMNS if con.execute(f"SELECT count({name}) FROM gpu").fetchone() == (0,)}
    assert empty == set()
    assert listed == {name: column.col.unit for name, column in COLUMNS.items() if name not in empty}
    assert {row[0] for row in con.execute("SELECT attribute FROM spec_coverage").fetchall()} == set(COLUMNS)


@pytest.mark.parametrize("attribute", COLUMNS)
def test_every_known_value_is_chosen_once_and_unchanged(con, attribute):
    known = dict(con.execute(f"SELECT gpu_id, {attribute} FROM gpu WHERE {attribute} IS NOT NULL").fetchall())
    assert _chosen(con, attribute) == {gpu_id: _as_listed(value) for gpu_id, value in known.items()}
    repeated = "SELECT gpu_id FROM gpu_spec WHERE chosen AND attribute = ? GROUP BY ALL HAVING count(*) <> 1"
    assert con.execute(repeated, [attribute]).fetchall() == []


@pytest.mark.parametrize("attribute", CORE)
def test_core_figures_name_their_source(con, attribute):
    query = """SELECT count(*) FILTER (s.title IS NULL OR n.path IS NULL OR v.locator IS NULL), count(*)
        FROM gpu_spec v LEFT JOIN source s USING (source_id) LEFT JOIN snapshot n USING (snapshot_id)
        WHERE chosen AND attribute = ?"""
    without, every = con.execute(query, [attribute]).fetchone()
    assert without == 0
    assert every == con.execute(f"SELECT count({attribute}) FROM gpu").fetchone()[0]


def test_no_dense_rate_exceeds_the_tensor_cores_at_the_boost_clock(con):
    """The H800 SXM had the clock of its PCIe card, at which its tensor cores reach 949 of the 989 TFLOPS stated."""
    sql = """SELECT gpu_id, fp16_tensor_tflops / (tensor_cores * flop_per_clock * boost_clock_mhz / 1e6) AS share
        FROM gpu JOIN (VALUES ('7.0', 128), ('7.5', 128), ('8.0', 512), ('8.6', 256), ('8.9', 256), ('9.0', 1024), ('10.0', 2048),
            ('12.0', 256)) AS one(compute_capability, flop_per_clock) USING (compute_capability)
        WHERE share IS NOT NULL"""
    shares = dict(con.execute(sql).fetchall())
    assert len(shares) > 70
    assert {gpu_id: share for gpu_id, share in shares.items() if share > 1.01} == {}


def test_every_statement_of_a_source_is_listed(con):
    kept = """SELECT source_id, sum(rows_accepted)::BIGINT FROM snapshot
        WHERE regexp_matches(path, '/(spec_values|launch_prices)[.]csv$') GROUP BY ALL"""
    listed = "SELECT source_id, count(*) FROM gpu_spec WHERE source_id <> 'gpuledger-compiled' GROUP BY ALL"
    assert dict(con.execute(listed).fetchall()) == dict(con.execute(kept).fetchall())


def test_chosen_outside_statement_has_the_best_rank(con):
    better = """SELECT o.gpu_id, o.attribute FROM gpu_spec o JOIN gpu_spec c USING (gpu_id, attribute)
        WHERE c.chosen AND o.rule = 'exact' AND (o.kind LIKE 'vendor%' AND c.kind NOT LIKE 'vendor%'
            OR o.kind = 'device reading' AND c.kind NOT LIKE 'vendor%' AND c.kind <> 'device reading')"""
    assert con.execute(better).fetchall() == []


def test_most_values_are_confirmed_by_a_publishable_source(con):
    confirmed, known = con.execute("SELECT sum(values_confirmed), sum(gpus_with_value) FROM spec_coverage").fetchone()
    assert confirmed / known > 0.7


def test_no_value_rests_on_memory(con):
    assert (
        con.execute("SELECT gpu_id, attribute FROM gpu_spec WHERE regexp_matches(note, '(?i)recalled|remembered')").fetchall()
        == []
    )


def test_one_database_confirms_nothing_by_itself(con):
    """Its agreement is published beside the status, and no row, name or address of it."""
    outcomes = "SELECT DISTINCT database_check FROM gpu_spec WHERE status = 'unconfirmed' AND database_check IS NOT NULL"
    assert ("agrees with one database",) in con.execute(outcomes).fetchall()
    named = "SELECT count(*) FROM gpu_spec WHERE regexp_matches(concat_ws(' ', publisher, address), '(?i)techpowerup')"
    assert con.execute(named).fetchone() == (0,)


def test_no_table_names_the_database_whose_terms_were_not_read(con):
    """Neither its rows nor its addresses: a price whose source it is would be a row of it."""
    columns = """SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'main' AND data_type = 'VARCHAR' ORDER BY ALL"""
    places = con.execute(columns).fetchall()
    assert len(places) > 300
    found = [
        (table, column)
        for table, column in places
        if con.execute(f'SELECT bool_or("{column}" ILIKE \'%techpowerup%\') FROM "{table}"').fetchone() == (True,)
    ]
    assert found == []


def test_confirmed_values_name_who_confirms_them(con):
    names = {title for (title,) in con.execute("SELECT title FROM spec_publisher").fetchall()}
    rows = con.execute("SELECT confirmed_by FROM gpu_spec WHERE status = 'confirmed'").fetchall()
    assert len(rows) > 2500
    assert {name for (text,) in rows for name in text.split("; ")} <= names


@pytest.mark.parametrize(
    ("gpu_id", "attribute", "value", "kind"),
    [
        ("nvidia-b300-sxm-288gb", "memory_bandwidth_gb_per_s", 7750, "vendor code"),
        ("nvidia-rtx-pro-4500-blackwell-32gb", "fp4_tensor_tflops", 843.5, "vendor document, quoted"),
        ("nvidia-rtx-pro-6000-blackwell-server-96gb", "boost_clock_mhz", 2430, "device reading"),
        ("amd-instinct-mi355x-288gb", "l2_cache_mb", 32, "vendor document"),
        ("google-tpu-v6e", "fp8_tensor_tflops", 918, "vendor document"),
    ],
)
def test_corrected_values_have_the_best_source(con, gpu_id, attribute, value, kind):
    query = "SELECT value, kind, status FROM gpu_spec WHERE chosen AND gpu_id = ? AND attribute = ?"
    assert con.execute(query, [gpu_id, attribute]).fetchall() == [(value, kind, "confirmed")]


def test_own_value_says_what_outside_sources_say(con):
    own = """SELECT c.rule, c.agrees, count(o.source_id) AS heard, count(o.source_id) FILTER (o.agrees) AS agreeing
        FROM gpu_spec c LEFT JOIN gpu_spec o ON o.gpu_id = c.gpu_id AND o.attribute = c.attribute AND NOT o.chosen
            AND o.kind <> 'arithmetic'
        WHERE c.source_id = 'gpuledger-compiled' GROUP BY c.gpu_id, c.attribute, c.rule, c.agrees"""
    for rule, agrees, heard, agreeing in con.execute(own).fetchall():
        expected = ("unconfirmed", None) if not heard else ("within_2_percent", True) if agreeing else ("contradicted", False)
        assert (rule, agrees) == expected


def test_arithmetic_confirms_nothing(con):
    rows = con.execute("SELECT DISTINCT rule, chosen FROM gpu_spec WHERE source_id = 'gpuledger-arithmetic'").fetchall()
    assert rows == [("arithmetic", False)]


def test_every_disagreement_has_a_note(con):
    assert con.execute("SELECT gpu_id, attribute, source_id FROM gpu_spec WHERE NOT agrees AND note IS NULL").fetchall() == []


def test_press_prices_of_data_centre_gpus_say_so(con):
    query = """SELECT DISTINCT segment = 'datacenter', coalesce(note LIKE '%from the press%', FALSE)
        FROM gpu_spec JOIN gpu USING (gpu_id) WHERE chosen AND attribute = 'launch_msrp_usd' ORDER BY ALL"""
    assert con.execute(query).fetchall() == [(False, False), (True, True)]


@pytest.mark.parametrize("table", ["offer_current", "break_even", "gpu"])
def test_an_estimate_of_the_press_is_no_purchase_price(con, table):
    column = {"offer_current": "observation_id", "break_even": "purchase_id", "gpu": "(gpu_id, launch_msrp_usd)"}[table]
    identity = "(gpu_id, usd_per_gpu)" if table == "gpu" else "observation_id"
    estimates = f"SELECT {identity} FROM price WHERE qualifier = 'estimate' AND kind = 'msrp'"
    assert con.execute(f"SELECT count(*) FROM ({estimates})").fetchone() == (5,)
    assert con.execute(f"SELECT {column} FROM {table} WHERE {column} IN ({estimates})").fetchall() == []


def test_an_estimate_of_the_press_is_in_no_daily_price_and_marked_where_it_is_shown(con):
    estimates = "SELECT gpu_id, usd_per_gpu AS usd FROM price WHERE qualifier = 'estimate' AND kind = 'msrp'"
    daily = f"SELECT gpu_id, usd_min AS usd FROM price_daily WHERE kind = 'msrp' INTERSECT {estimates}"
    assert con.execute(daily).fetchall() == []
    marked = "SELECT gpu_id, usd_per_gpu FROM purchase_metric WHERE estimated ORDER BY ALL"
    assert con.execute(marked).fetchall() == con.execute(f"{estimates} ORDER BY ALL").fetchall()


def test_versions_are_compared_as_versions(con):
    query = """SELECT DISTINCT value_text, agrees FROM gpu_spec
        WHERE gpu_id = 'nvidia-b200-sxm-180gb' AND attribute = 'compute_capability'"""
    assert con.execute(query).fetchall() == [("10.0", True)]


def test_coverage_adds_up(con):
    query = """SELECT sum(gpus_with_value), min(gpus_with_value + gpus_without), max(gpus_with_value + gpus_without)
        FROM spec_coverage"""
    with_value, least, most = con.execute(query).fetchone()
    gpus = con.execute("SELECT count(*) FROM gpu").fetchone()[0]
    assert (with_value, least, most) == (con.execute("SELECT count(*) FROM gpu_spec WHERE chosen").fetchone()[0], gpus, gpus)


def test_days_of_announcement_sale_and_delivery_are_apart_and_have_a_source(con):
    days = "SELECT announced_on::VARCHAR, shipped_on::VARCHAR, release_date::VARCHAR FROM gpu WHERE gpu_id = ?"
    assert con.execute(days, ["nvidia-a100-sxm4-40gb"]).fetchone() == ("2020-05-14", "2020-05-14", "2020-05-14")
    assert con.execute(days, ["nvidia-b300-sxm-288gb"]).fetchone() == ("2025-03-18", None, None)
    assert con.execute(days, ["nvidia-a10g-24gb"]).fetchone() == (None, None, None)
    sourced = """SELECT count(*), count(address) FROM gpu_spec
        WHERE chosen AND attribute IN ('announced_on', 'launched_on', 'shipped_on')"""
    assert con.execute(sourced).fetchone() == (62, 62)


def test_each_gpu_that_is_left_out_has_its_reason(con):
    left_out = con.execute("SELECT name, reason FROM gpu_left_out").fetchall()
    assert len(left_out) == 30
    assert all(len(reason) > 20 for _, reason in left_out)
    known = {name.lower() for (name,) in con.execute("SELECT name FROM gpu").fetchall()}
    assert not {name.lower() for name, _ in left_out} & known


def test_one_window_of_dates_holds_for_every_table_of_purchase_prices(con):
    outside = """SELECT count(*) FROM {table}, purchase_range WHERE purchase_date NOT BETWEEN first_date AND last_date"""
    tables = ("guide_memory_rule", "lambda_value")
    assert [con.execute(outside.format(table=table)).fetchone() for table in tables] == [(0,), (0,)]


def test_no_accepted_upload_exceeds_the_specification_of_its_gpu(con):
    """A specification that is missing or too low shows here first: copies over NVLink exceeded PCI Express on an A100 PCIe."""
    exceeding = "SELECT run_id, gpu_id FROM uploaded_run WHERE flags LIKE '%exceeds_peak%'"
    assert con.execute(exceeding).fetchall() == []
