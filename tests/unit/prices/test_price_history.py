"""Price history: the metrics' own SQL on small cases with answers by hand, and their promises on the built data."""

import datetime as dt

import pytest

from tests.unit.prices.price_rows import AS_OF, GPU, MODEL, august, history, offer, rows, seller

DAILY = "FROM price_daily WHERE gpu_id = 'any'"
INDEX = "FROM price_index WHERE gpu_id = 'any' ORDER BY date"


def test_quartiles_of_a_day_by_hand(price_tables):
    """Over providers, each with its cheapest offer: 1, 2, 3, 5 and 9 USD."""
    cheapest = [offer(f"o{n}", usd, 20, provider=f"p{n}") for n, usd in enumerate((1.0, 2.0, 3.0, 5.0, 9.0))]
    con = history(price_tables, *cheapest, offer("dear", 7.0, 20, provider="p0", gpu_count=8))
    assert rows(con, f"SELECT date, n_offers, n_providers, usd_min, low_provider, usd_p25, usd_median, usd_p75 {DAILY}") == [
        (AS_OF, 6, 5, 1, "p0", 2, 3, 5)
    ]


def test_a_day_of_two_providers_has_a_low_and_no_median(price_tables):
    con = history(price_tables, offer("a", 2.0, 20), offer("b", 1.0, 20, provider="B"))
    assert rows(con, f"SELECT n_providers, usd_min, usd_p25, usd_median, usd_p75 {DAILY}") == [(2, 1, None, None, None)]


def test_the_row_of_a_model_joins_variants_and_offers_that_state_none(price_tables):
    con = history(
        price_tables,
        offer("sxm", 3.0, 20),
        offer("pcie", 2.0, 20, provider="B", gpu_id="nvidia-h100-pcie-80gb"),
        offer("second", 2.5, 20, provider="B"),
        offer("open", 1.0, 20, provider="C", gpu_id=None),
    )
    sql = "SELECT gpu_id, n_offers, usd_min, usd_median FROM price_daily ORDER BY usd_min"
    assert rows(con, sql) == [("any", 4, 1, 2), ("nvidia-h100-pcie-80gb", 1, 2, None), (GPU, 2, 2.5, None)]


def test_an_offer_has_one_price_on_each_day(price_tables):
    """The interval and the day's own price overlap on the 12th; the later one counts."""
    con = history(price_tables, offer("a", 2.0, 10, 12), offer("a", 3.0, 12), offer("b", 4.0, 11, gpu_count=8))
    sql = f"SELECT date, n_offers, usd_min {DAILY} ORDER BY date"
    assert rows(con, sql) == [(august(10), 1, 2), (august(11), 2, 2), (august(12), 1, 3)]


@pytest.mark.parametrize(("days_observed", "days"), [(3, [10, 13, 16]), (7, range(10, 17)), (None, range(10, 17))])
def test_a_price_of_an_interval_counts_on_days_on_which_it_was_seen(price_tables, days_observed, days):
    """Valid from the 10th to the 16th; the source was read on the 10th, the 13th and the 16th, unless it states every day."""
    other = {"gpu_model_id": "nvidia-l4", "gpu_id": None}
    con = history(price_tables, offer("a", 2.0, 10, 16, days_observed=days_observed), offer("other", 9.0, 13, **other))
    assert rows(con, f"SELECT date, usd_min {DAILY} AND gpu_model_id = '{MODEL}' ORDER BY date") == [
        (august(day), 2) for day in days
    ]


def test_a_price_stays_current_between_two_days_on_which_it_was_seen(price_tables):
    """On the 12th another provider alone was seen: the low is that of the offer seen on the 10th."""
    con = history(price_tables, *(seller("a", 2.0, day) for day in (10, 14)), seller("b", 3.0, 12, source_id="two"))
    assert rows(con, f"SELECT date, n_offers, n_seen, usd_min, low_provider {DAILY} ORDER BY date") == [
        (august(10), 1, 1, 2, "a"),
        (august(12), 2, 1, 2, "a"),
        (august(14), 2, 1, 2, "a"),
    ]


@pytest.mark.parametrize(
    ("billing", "days", "n_offers"), [("spot", 7, 2), ("spot", 8, 1), ("on_demand", 100, 2), ("on_demand", 101, 1)]
)
def test_a_price_that_was_not_seen_again_is_current_for_a_time(price_tables, billing, days, n_offers):
    old = {"observed_at": august(20) - dt.timedelta(days), "billing": billing}
    con = history(price_tables, seller("A", 2.0, 1) | old, seller("B", 3.0, 20, billing=billing))
    assert rows(con, f"SELECT n_offers {DAILY} AND date = DATE '2026-08-20'") == [(n_offers,)]


@pytest.mark.parametrize(("extent", "low"), [("whole", 3), ("excerpt", 2)])
def test_an_offer_counts_until_a_newer_list_leaves_it_out(price_tables, extent, low):
    """The list of the 12th has b alone. An excerpt of it shows only that b is listed."""
    price_tables.execute("UPDATE snapshot SET extent = ?", [extent])
    con = history(price_tables, offer("a", 2.0, 10), *(offer("b", 3.0, day, gpu_count=8) for day in (10, 12)))
    assert rows(con, f"SELECT usd_min {DAILY} ORDER BY date") == [(2,), (low,)]


@pytest.mark.parametrize("extent", ["whole", "excerpt"])
def test_a_newer_price_of_an_offer_replaces_the_older_one(price_tables, extent):
    price_tables.execute("UPDATE snapshot SET extent = ?", [extent])
    con = history(price_tables, offer("a", 2.0, 10), offer("a", 3.0, 12))
    assert rows(con, f"SELECT usd_min {DAILY} ORDER BY date") == [(2,), (3,)]


def test_an_excerpt_ends_where_a_newer_whole_list_begins(price_tables):
    """An excerpt of the 10th has a; the whole list of the 12th has b alone."""
    price_tables.execute("INSERT INTO snapshot (snapshot_id, source_id, extent) VALUES ('part', 'one', 'excerpt')")
    con = history(price_tables, offer("a", 2.0, 10, snapshot_id="part"), offer("b", 3.0, 12, gpu_count=8))
    assert rows(con, f"SELECT usd_min {DAILY} ORDER BY date") == [(2,), (3,)]


@pytest.mark.parametrize(
    "terms",
    [
        {"partition": "fraction"},
        {"price_basis": "host_only"},
        {"os": "windows"},
        {"qualifier": "from", "flags": "FROM_PRICE"},
        {"billing": "spot", "flags": "STALE,SPOT_NOT_BELOW_ON_DEMAND"},
        {"includes_host": False},
        {"gpu_model_id": None, "gpu_id": None},
        {"usd_per_gpu_hour": None},
    ],
)
def test_what_statistics_leave_out(price_tables, terms):
    con = history(price_tables, offer("a", 2.0, 10) | terms)
    assert rows(con, "SELECT * FROM price_daily") == rows(con, "SELECT * FROM price_index") == []
    assert rows(con, "SELECT offer_key FROM price_latest") == [("a",)]


def test_stale_conflicting_and_starved_offers_count_on_their_day(price_tables):
    con = history(price_tables, offer("a", 2.0, 10, flags="CONFLICT,STALE,CPU_STARVED", stale=True))
    assert rows(con, f"SELECT date, n_offers {DAILY}") == [(august(10), 1)]


def test_a_rise_and_a_fall_of_45_percent_are_shown(price_tables):
    """The low rises from 2 to 2.90 and falls to 1.595; the median rises from 3 to 4 and falls to 2.3925. No offer disappears."""
    steps = {"A": (2.0, 2.9, 1.595), "B": (3.0, 4.35, 2.3925), "C": (4.0, 4.0, 4.0)}
    con = history(
        price_tables,
        *(
            offer(name, usd, day, provider=name, flags="JUMP" if day > 10 and name != "C" else None)
            for name, prices in steps.items()
            for day, usd in zip((10, 11, 12), prices, strict=True)
        ),
    )
    assert rows(con, f"SELECT n_offers, usd_min, usd_median {DAILY} ORDER BY date") == [
        (3, 2.0, 3.0), (3, 2.9, 4.0), (3, 1.595, 2.3925)
    ]  # fmt: skip
    index = rows(con, "SELECT price_index FROM price_index WHERE gpu_id = 'any' ORDER BY date")
    assert [one for (one,) in index] == pytest.approx([1, 1.45 ** (2 / 3), (1.45 * 0.55) ** (2 / 3)])
    changes = (
        "SELECT change_ratio, flagged FROM price_change WHERE offer_key = 'A' AND change_ratio IS NOT NULL ORDER BY valid_from"
    )
    assert rows(con, changes) == [(pytest.approx(1.45), True), (pytest.approx(0.55), True)]


def test_terms_are_never_mixed(price_tables):
    con = history(
        price_tables,
        offer("a", 2.0, 10),
        offer("b", 1.0, 10, billing="spot"),
        offer("c", 1.5, 10, billing="reserved", commitment_months=12),
        offer("d", 1.2, 10, billing="reserved", commitment_months=36),
        offer("e", None, 10, kind="purchase_used", billing=None, usd_per_gpu=20000.0, amount=20000.0),
    )
    sql = f"SELECT kind, billing, commitment, n_offers, usd_min {DAILY} ORDER BY usd_min"
    assert rows(con, sql) == [
        ("cloud_rental", "spot", "none", 1, 1),
        ("cloud_rental", "reserved", "36 months", 1, 1.2),
        ("cloud_rental", "reserved", "12 months", 1, 1.5),
        ("cloud_rental", "on_demand", "none", 1, 2),
        ("purchase_used", "none", "none", 1, 20000),
    ]


def test_the_index_moves_with_prices_and_not_with_coverage(price_tables):
    """a doubles while b and c stay. d joins and moves nothing. Then a halves."""
    con = history(
        price_tables,
        *(seller("a", usd, day) for day, usd in ((1, 1.0), (2, 2.0), (3, 2.0), (4, 1.0))),
        *(seller(name, 4.0, day) for name in "bc" for day in (1, 2, 3, 4)),
        *(seller("d", 50.0, day) for day in (3, 4)),
    )
    found = rows(con, f"SELECT price_index, n_matched, n_offers, chain_from {INDEX}")
    assert [row[0] for row in found] == pytest.approx([1, 2 ** (1 / 3), 2 ** (1 / 3), 2 ** (1 / 3 - 1 / 4)])
    assert [row[1:3] for row in found] == [(0, 3), (3, 3), (3, 4), (4, 4)]
    assert {row[3] for row in found} == {august(1)}


@pytest.mark.parametrize(("sellers", "n_matched"), [("ab", 0), ("abc", 3)])
def test_a_step_of_the_index_needs_three_offers(price_tables, sellers, n_matched):
    con = history(price_tables, *(seller(name, 1.0 * day, day) for name in sellers for day in (1, 2)))
    found = rows(con, f"SELECT price_index, n_matched, chain_from {INDEX}")[1]
    assert found == (pytest.approx(2 if n_matched else 1), n_matched, august(1 if n_matched else 2))


@pytest.mark.parametrize(("days", "n_matched"), [(45, 3), (46, 0)])
def test_sightings_up_to_45_days_apart_connect(price_tables, days, n_matched):
    earlier = {"observed_at": august(20) - dt.timedelta(days)}
    sellers = ("a", "b", "c")
    con = history(price_tables, *(seller(n, 1.0, 20) | earlier for n in sellers), *(seller(n, 3.0, 20) for n in sellers))
    assert rows(con, f"SELECT price_index, n_matched {INDEX}")[1] == (pytest.approx(3 if n_matched else 1), n_matched)


def test_a_change_counts_on_the_day_on_which_it_was_seen(price_tables):
    """Three offers were seen on the 1st and the 4th, another one on the 2nd: until the 4th they have their earlier price."""
    con = history(
        price_tables,
        *(seller(name, usd, day) for name in "abc" for day, usd in ((1, 1.0), (4, 1.1))),
        seller("d", 9.0, 2),
    )
    found = rows(con, f"SELECT date, price_index, n_matched {INDEX}")
    assert found == [(august(1), 1, 0), (august(2), 1, 3), (august(4), pytest.approx(1.1), 3)]


def test_the_index_of_a_model_joins_its_variants(price_tables):
    """A variant alone has too few offers; the model has three, one of them without a variant."""
    variants = {"a": GPU, "b": "nvidia-h100-pcie-80gb", "c": None}
    con = history(price_tables, *(seller(n, 1.0 * day, day, gpu_id=gpu) for n, gpu in variants.items() for day in (1, 2)))
    sql = "SELECT gpu_id, price_index, n_matched FROM price_index WHERE date = DATE '2026-08-02' ORDER BY gpu_id"
    assert rows(con, sql) == [("any", 2, 3), ("nvidia-h100-pcie-80gb", 1, 0), (GPU, 1, 0)]


def test_changes_of_price(price_tables):
    """Seen at 2 on the 1st and 3rd, at 2.5 from the 5th to the 9th, in the same words on the 10th at another rate."""
    euro = {"currency": "EUR", "amount": 2.3}
    con = history(
        price_tables,
        offer("a", 2.0, 1),
        offer("a", 2.0, 3),
        offer("a", 2.5, 5, 9, **euro),
        offer("a", 2.6, 10, **euro),
        offer("b", 1.0, 1),
    )
    sql = (
        "SELECT valid_from, valid_to, usd_per_gpu_hour, change_ratio, flagged FROM price_change WHERE offer_key = 'a' ORDER BY 1"
    )
    assert rows(con, sql) == [(august(1), august(3), 2, None, False), (august(5), august(10), 2.5, 1.25, False)]


@pytest.mark.parametrize(("day", "usd"), [(9, []), (10, [2]), (12, [2]), (14, [3]), (17, [3]), (18, [2.5]), (30, [2.5])])
def test_prices_as_they_were_known_on_a_day(price_tables, day, usd):
    """An interval holds from its first day; a price announced on the 14th for the 18th waits."""
    con = history(price_tables, offer("a", 2.0, 10, 12), offer("a", 3.0, 14), offer("a", 2.5, 14, effective_from=august(18)))
    assert rows(con, f"SELECT usd_per_gpu_hour FROM price_as_of(DATE '{august(day)}')") == [(one,) for one in usd]


@pytest.mark.parametrize(("billing", "limit"), [("spot", 7), ("marketplace", 7), ("on_demand", 100)])
def test_a_price_as_of_a_day_is_stale_as_it_was_then(price_tables, billing, limit):
    """Seen until the 5th: current for a week where prices move by the day, for 100 days in a price list."""
    con = history(price_tables, offer("a", 2.0, 1, 5, stale=True, billing=billing))
    days = (august(3), august(5) + dt.timedelta(limit), august(5) + dt.timedelta(limit + 1))
    stale = [rows(con, f"SELECT stale FROM price_as_of(DATE '{day}')") for day in days]
    assert stale == [[(False,)], [(False,)], [(True,)]]


def test_a_price_that_a_newer_list_leaves_out_is_stale_from_the_day_of_that_list(price_tables):
    con = history(price_tables, offer("a", 2.0, 1, 5), offer("b", 3.0, 1, 9))
    sql = "SELECT offer_key, stale FROM price_as_of(DATE '{day}') ORDER BY offer_key"
    assert rows(con, sql.format(day=august(5))) == [("a", False), ("b", False)]
    assert rows(con, sql.format(day=august(6))) == [("a", True), ("b", False)]


def test_the_flag_of_a_stale_price_follows_its_column(price_tables):
    """A newer list leaves out `a`, which is not too old; `b` is too old for the build, and was not on its days."""
    con = history(
        price_tables, offer("a", 2.0, 1, 5, flags="JUMP"), offer("b", 3.0, 1, 9, flags="JUMP,STALE,FROM_PRICE", stale=True)
    )
    assert rows(con, "SELECT offer_key, stale, flags FROM price_latest ORDER BY ALL") == [
        ("a", True, "JUMP,STALE"),
        ("b", True, "JUMP,FROM_PRICE,STALE"),
    ]
    sql = "SELECT offer_key, flags FROM price_as_of(DATE '{day}') ORDER BY offer_key"
    assert rows(con, sql.format(day=august(5))) == [("a", "JUMP"), ("b", "JUMP,FROM_PRICE")]
    assert rows(con, sql.format(day=august(6))) == [("a", "JUMP,STALE"), ("b", "JUMP,FROM_PRICE")]


def test_sources_are_set_side_by_side(price_tables):
    """Two sources within 60 days of each other; of a third, only the older one is near, too far apart for a conflict."""
    con = history(
        price_tables,
        offer("a", 2.0, 20, flags="CONFLICT"),
        offer("b", 2.2, 20, region="north", flags="CONFLICT"),
        offer("c", 3.0, 14, source_id="two", provider="acme", flags="CONFLICT"),
        offer("d", 9.0, 1, source_id="never", flags="CONFLICT") | {"observed_at": august(20) - dt.timedelta(61)},
    )
    sql = """SELECT provider, source_a, source_b, n_offers_a, usd_per_gpu_hour_min_a, usd_per_gpu_hour_max_a,
        usd_per_gpu_hour_min_b, conflict, flagged FROM price_comparison ORDER BY source_a"""
    assert rows(con, sql) == [
        ("acme", "never", "two", 1, 9, 9, 3, False, True),
        ("acme", "one", "two", 2, 2, 2.2, 3, True, True),
    ]


def test_a_gpu_without_its_host_is_set_beside_another_alone(price_tables):
    """Google's list of machines has the L4 with its host, two lists of parts without."""
    parts = [offer(name, 0.56, 20, source_id=name, includes_host=False) for name in ("two", "never")]
    con = history(price_tables, offer("machine", 1.18, 20, includes_host=True), *parts)
    assert rows(con, "SELECT gpu_alone, source_a, source_b, median_ratio FROM price_comparison") == [(True, "never", "two", 1)]


def test_health_of_sources(price_tables):
    """Each fetch has a folder of its own; files of one name in two other folders are two. A source without a file has no age."""
    stored = [("a", "2026-08-12", 100), ("b", "2026-08-10", 40), ("c", "2026-08-08", 90)]
    for name, day, count in stored:
        price_tables.execute(
            """INSERT INTO snapshot (snapshot_id, source_id, path, retrieved_at, rows_accepted, rows_rejected)
               VALUES (?, 'one', ?, ?, ?, 1)""",
            [name, f"data/raw/one/{day}/page.json", day, count],
        )
    for shop, day, count in (("east", 2, 2), ("west", 3, 1)):
        price_tables.execute(
            """INSERT INTO snapshot (snapshot_id, source_id, path, retrieved_at, rows_accepted, rows_rejected)
               VALUES (?, 'never', ?, ?, ?, 0)""",
            [shop, f"data/raw/never/{shop}/prices.csv", august(day), count],
        )
    price_tables.execute("INSERT INTO source_problem VALUES ('two', 'data/raw/two/2026-08-01/page.json', 'empty')")
    con = history(price_tables)
    sql = "SELECT source_id, age_days, stale, rows, rejects, shrink_ratio, problems FROM source_health ORDER BY source_id"
    assert rows(con, sql) == [
        ("never", 17, True, 3, 0, None, 0),
        ("one", 8, True, 230, 3, 2.5, 0),
        ("two", None, False, 0, 0, None, 1),
    ]


def test_offers_of_a_day_are_the_distinct_offers_seen_on_it(con):
    """Counted again from table price, for GPU models and billings that one source alone lists, without intervals."""
    counted = """WITH listed AS (
            SELECT * FROM price
            WHERE kind = 'cloud_rental' AND partition = 'whole' AND price_basis <> 'host_only' AND os IS DISTINCT FROM 'windows'
                AND qualifier <> 'from' AND includes_host IS DISTINCT FROM false AND remark IS DISTINCT FROM 'SOURCE_ERROR'
                AND coalesce(flags, '') NOT LIKE '%SPOT_NOT%' AND usd_per_gpu_hour IS NOT NULL
                AND observed_at <= (SELECT as_of FROM release)
        ),
        alone AS (
            SELECT gpu_model_id, billing FROM listed GROUP BY ALL
            HAVING count(DISTINCT source_id) = 1 AND count(effective_to) = 0 AND count(effective_from) = 0
        )
        SELECT d.date, d.gpu_model_id, d.billing, d.n_seen, d.usd_min,
            count(DISTINCT (lower(provider), p.gpu_id, coalesce(min_gpus, gpu_count))) AS offers, min(usd_per_gpu_hour) AS low
        FROM alone
        JOIN price_daily AS d USING (gpu_model_id, billing)
        JOIN listed AS p USING (gpu_model_id, billing)
        WHERE d.kind = 'cloud_rental' AND d.gpu_id = 'any' AND d.commitment = 'none' AND p.observed_at = d.date
        GROUP BY ALL"""
    assert rows(con, f"SELECT count(*) > 500, max(offers) > 3 FROM ({counted})") == [(True, True)]
    assert rows(con, f"SELECT * FROM ({counted}) WHERE n_seen <> offers OR usd_min > low") == []


def test_the_last_day_of_the_history_is_the_market_of_today(con):
    same = """SELECT m.n_offers, m.n_providers, m.usd_per_gpu_hour_low, m.usd_per_gpu_hour_median,
            d.n_offers, d.n_providers, d.usd_min, d.usd_median
        FROM rental_market AS m JOIN price_daily AS d USING (gpu_model_id, gpu_id, billing, commitment)
        WHERE m.gpus = 'any' AND m.commitment <> 'any'
            AND (m.gpu_id = 'any' OR m.n_offers_unstated = 0) AND d.date = (SELECT as_of FROM release)"""
    found = rows(con, same)
    assert len(found) > 100
    assert [row for row in found if row[:4] != row[4:]] == []


def test_intervals_of_an_offer_do_not_overlap(con):
    sql = "SELECT valid_from, lag(valid_to) OVER (PARTITION BY offer_key ORDER BY valid_from) AS ended FROM price_change"
    assert rows(con, f"SELECT * FROM ({sql}) WHERE valid_from <= ended") == []
    assert (
        rows(con, "SELECT * FROM price_change WHERE change_ratio = 1 OR usd_per_gpu_hour IS NULL AND usd_per_gpu IS NULL") == []
    )


def test_the_macro_gives_the_newest_prices_at_the_end(con):
    ((as_of,),) = rows(con, "SELECT as_of FROM release")
    macro = rows(con, f"SELECT offer_key, observation_id, stale FROM price_as_of(DATE '{as_of}') ORDER BY ALL")
    assert macro == rows(con, "SELECT offer_key, observation_id, stale FROM price_latest ORDER BY ALL")
    assert (
        len(macro)
        == rows(con, "SELECT count(DISTINCT offer_key) FROM price WHERE observed_at <= (SELECT as_of FROM release)")[0][0]
    )


def test_history_begins_with_weeks_of_days(con):
    sql = """SELECT count(DISTINCT date) FROM price_daily
        WHERE gpu_id = 'nvidia-h100-sxm5-80gb' AND billing = 'on_demand' AND date >= DATE '2026-07-05'"""
    assert rows(con, sql)[0][0] >= 40
    assert rows(con, "SELECT count(*) FROM price_index WHERE n_matched > 0")[0][0] > 1000


def test_what_builds_on_prices_has_one_row_per_offer(con):
    assert rows(con, "SELECT offer_key FROM price_metric GROUP BY offer_key HAVING count(*) > 1") == []
    per_run = """SELECT gpu_id, machine, task, count(*) AS costs FROM run_cost WHERE NOT own_price GROUP BY ALL"""
    ways = """SELECT gpu_id, count(DISTINCT (source_id, lower(provider), billing, commitment_months)) AS ways
        FROM price_metric GROUP BY ALL"""
    assert rows(con, f"SELECT * FROM ({per_run}) JOIN ({ways}) USING (gpu_id) WHERE costs > ways") == []


def test_the_matched_median_begins_anew_with_each_chain(price_tables):
    """A cheaper offer d appears on the 11th, so the median falls below 3.30 while the offers of both days rise by a tenth."""
    before = {"a": 2.0, "b": 3.0, "c": 4.0}
    con = history(
        price_tables,
        *(seller(name, usd, 10, billing="spot") for name, usd in before.items()),
        *(seller(name, usd * 1.1, 11, billing="spot") for name, usd in before.items()),
        seller("d", 1.0, 11, billing="spot"),
        seller("e", 6.0, 20, billing="spot"),
    )
    sql = "SELECT date, usd_median, usd_matched, recent FROM price_history WHERE gpu_id = 'any' ORDER BY date"
    assert rows(con, sql) == [
        (august(10), 3.0, 3.0, True),
        (august(11), pytest.approx(2.75), pytest.approx(3.3), True),
        (august(20), None, 6.0, True),
    ]
    summary = "SELECT n_days, usd_first, usd_last, n_matched FROM price_history_summary WHERE gpu_id = 'any'"
    assert rows(con, summary) == [(3, 2.0, 6.0, 0)]


def test_a_dated_document_before_a_long_gap_is_not_recent(price_tables):
    old = offer("a", 5.0, 1) | {"observed_at": dt.date(2026, 5, 1)}
    con = history(price_tables, old, offer("a", 2.0, 19), offer("a", 2.0, 20))
    sql = "SELECT recent, usd_matched FROM price_history WHERE gpu_id = 'any' ORDER BY date"
    assert rows(con, sql) == [(False, None), (True, 2.0), (True, 2.0)]


def test_a_price_without_a_region_ends_when_its_source_begins_to_state_regions(price_tables):
    con = history(price_tables, offer("open", 12.29, 1), offer("east", 6.88, 3, region="us-east-1"))
    assert rows(con, "SELECT offer_key, stale FROM price_latest ORDER BY ALL") == [("east", False), ("open", True)]
    assert rows(con, "SELECT date, n_offers, usd_min FROM price_daily WHERE gpu_id = 'any' ORDER BY date") == [
        (august(1), 1, 12.29),
        (august(3), 1, 6.88),
    ]


def test_an_offer_out_of_stock_is_no_price_of_the_market(price_tables):
    con = history(price_tables, offer("a", 2.0, 1), offer("b", 3.0, 1), offer("a", 2.0, 2, in_stock=False), offer("b", 3.0, 2))
    assert rows(con, "SELECT date, n_offers, usd_min FROM price_daily WHERE gpu_id = 'any' ORDER BY date") == [
        (august(1), 1, 2),
        (august(2), 1, 3),
    ]
