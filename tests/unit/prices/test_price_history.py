"""Price history: the metrics' own SQL on small cases with answers by hand, and their promises on the built data."""

import datetime as dt

import pytest

from tests.unit.prices.price_rows import AS_OF, august, history, offer, rows


def test_quartiles_of_a_day_by_hand(price_tables):
    offers = [offer(f"o{n}", usd, 20, provider=f"p{n % 2}") for n, usd in enumerate((1.0, 2.0, 3.0, 5.0, 9.0))]
    con = history(price_tables, *offers)
    sql = "SELECT date, n_offers, n_providers, usd_min, usd_p25, usd_median, usd_p75 FROM price_daily"
    assert rows(con, sql) == [(AS_OF, 5, 2, 1, 2, 3, 5)]


def test_one_offer_counts_once_on_each_day_on_which_it_was_seen(price_tables):
    """The interval and the day's own price overlap on the 12th; the later one stands."""
    con = history(price_tables, offer("a", 2.0, 10, 12), offer("a", 3.0, 12), offer("b", 4.0, 11))
    sql = "SELECT date, n_offers, usd_median FROM price_daily ORDER BY date"
    assert rows(con, sql) == [(august(10), 1, 2), (august(11), 2, 3), (august(12), 1, 3)]


@pytest.mark.parametrize(
    "terms",
    [
        {"partition": "fraction"},
        {"price_basis": "host_only"},
        {"os": "windows"},
        {"qualifier": "from", "flags": "FROM_PRICE"},
        {"billing": "spot", "flags": "STALE,SPOT_NOT_BELOW_ON_DEMAND"},
        {"flags": "JUMP"},
        {"usd_per_gpu_hour": None},
    ],
)
def test_what_statistics_leave_out(price_tables, terms):
    con = history(price_tables, offer("a", 2.0, 10) | terms)
    assert rows(con, "SELECT * FROM price_daily") == rows(con, "SELECT * FROM price_index") == []
    assert rows(con, "SELECT offer_key FROM price_latest") == [("a",)]


def test_stale_conflicting_and_starved_offers_count_on_their_day(price_tables):
    con = history(price_tables, offer("a", 2.0, 10, flags="CONFLICT,STALE,CPU_STARVED", stale=True))
    assert rows(con, "SELECT date, n_offers FROM price_daily") == [(august(10), 1)]


@pytest.mark.parametrize(("next_flags", "days"), [(None, [10, 11, 12]), ("JUMP", [10, 12])])
def test_a_jump_counts_once_a_near_price_follows(price_tables, next_flags, days):
    con = history(
        price_tables,
        offer("a", 2.0, 10),
        offer("a", 4.0, 11, flags="JUMP"),
        offer("a", 4.1, 12, flags=next_flags),
        offer("a", 4.1, 13),
    )
    seen = [day.day for (day,) in rows(con, "SELECT date FROM price_daily ORDER BY date")]
    assert seen == [*days, 13]
    assert rows(con, "SELECT change_ratio FROM price_change WHERE flagged ORDER BY valid_from LIMIT 1") == [(2,)]


def test_terms_are_never_mixed(price_tables):
    con = history(
        price_tables,
        offer("a", 2.0, 10),
        offer("b", 1.0, 10, billing="spot"),
        offer("c", 1.5, 10, billing="reserved", commitment_months=12),
        offer("d", 1.2, 10, billing="reserved", commitment_months=36),
        offer("e", None, 10, kind="purchase_used", billing=None, usd_per_gpu=20000.0, amount=20000.0),
    )
    sql = "SELECT kind, billing, commitment, n_offers, usd_min FROM price_daily ORDER BY usd_min"
    assert rows(con, sql) == [
        ("cloud_rental", "spot", "none", 1, 1),
        ("cloud_rental", "reserved", "36 months", 1, 1.2),
        ("cloud_rental", "reserved", "12 months", 1, 1.5),
        ("cloud_rental", "on_demand", "none", 1, 2),
        ("purchase_used", "none", "none", 1, 20000),
    ]


def test_the_index_moves_with_prices_and_not_with_coverage(price_tables):
    """a doubles and b stays. c joins and moves nothing. Then a halves. After 8 days without offers the index restarts."""
    con = history(
        price_tables,
        *(offer("a", usd, day) for day, usd in ((1, 1.0), (2, 2.0), (3, 2.0), (4, 1.0), (12, 1.0))),
        *(offer("b", 4.0, day) for day in (1, 2, 3, 4)),
        *(offer("c", 50.0, day) for day in (3, 4)),
    )
    found = rows(con, "SELECT date, price_index, n_matched, n_offers, chain_from FROM price_index ORDER BY date")
    assert [row[0].day for row in found] == [1, 2, 3, 4, 12]
    assert [row[1] for row in found] == pytest.approx([1, 2**0.5, 2**0.5, 2 ** (0.5 - 1 / 3), 1])
    assert [row[2:4] for row in found] == [(0, 2), (2, 2), (2, 3), (3, 3), (0, 1)]
    assert [row[4].day for row in found] == [1, 1, 1, 1, 12]


def test_a_missing_day_does_not_break_the_index(price_tables):
    con = history(price_tables, offer("a", 1.0, 1), offer("a", 1.1, 4))
    assert rows(con, "SELECT price_index, n_matched FROM price_index ORDER BY date")[1] == (pytest.approx(1.1), 1)


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


def test_a_price_as_of_a_day_is_stale_as_it_was_then(price_tables):
    con = history(price_tables, offer("a", 2.0, 1, 5, stale=True))
    stale = [rows(con, f"SELECT stale FROM price_as_of(DATE '{august(day)}')") for day in (3, 12, 13)]
    assert stale == [[(False,)], [(False,)], [(True,)]]


def test_sources_are_set_side_by_side(price_tables):
    con = history(
        price_tables,
        offer("a", 2.0, 20, flags="CONFLICT"),
        offer("b", 2.2, 20, region="north", flags="CONFLICT"),
        offer("c", 3.0, 14, source_id="two", provider="ACME", flags="CONFLICT"),
        offer("d", 9.0, 12, source_id="never", flags="CONFLICT"),
    )
    sql = """SELECT provider, source_a, source_b, n_offers_a, usd_per_gpu_hour_min_a, usd_per_gpu_hour_max_a,
        usd_per_gpu_hour_min_b, conflict, flagged FROM price_comparison ORDER BY source_a"""
    assert rows(con, sql) == [
        ("acme", "never", "two", 1, 9, 9, 3, True, True),
        ("acme", "one", "two", 2, 2, 2.2, 3, True, True),
    ]


def test_health_of_sources(price_tables):
    """Each fetch has a folder of its own; a source that was never fetched has no age."""
    stored = [("a", "2026-08-12", 100), ("b", "2026-08-10", 40), ("c", "2026-08-08", 90)]
    for name, day, count in stored:
        price_tables.execute(
            """INSERT INTO snapshot (snapshot_id, source_id, path, retrieved_at, rows_accepted, rows_rejected)
               VALUES (?, 'one', ?, ?, ?, 1)""",
            [name, f"data/raw/one/{day}/page.json", day, count],
        )
    price_tables.execute("INSERT INTO source_problem VALUES ('two', 'data/raw/two/2026-08-01/page.json', 'empty')")
    con = history(price_tables)
    sql = "SELECT source_id, age_days, stale, rows, rejects, shrink_ratio, problems FROM source_health ORDER BY source_id"
    assert rows(con, sql) == [
        ("never", None, False, 0, 0, None, 0),
        ("one", 8, True, 230, 3, 2.5, 0),
        ("two", None, False, 0, 0, None, 1),
    ]


def test_offers_of_a_day_are_the_distinct_offers_seen_on_it(con):
    """Counted again from table price, each offer once whatever number of sources lists it; no card and terms with a jump."""
    counted = """WITH seen AS (
            SELECT DISTINCT d.date, d.n_offers, p.offer_key, d.gpu_id, d.billing
            FROM price_daily AS d JOIN price AS p USING (gpu_id, kind, billing)
            WHERE p.partition = 'whole' AND p.price_basis <> 'host_only' AND p.os IS DISTINCT FROM 'windows'
                AND p.qualifier <> 'from'
                AND coalesce(p.flags, '') NOT LIKE '%SPOT_NOT%' AND coalesce(p.usd_per_gpu_hour, p.usd_per_gpu) IS NOT NULL
                AND (p.days_observed IS NULL
                    OR (p.source_id, coalesce(p.region, ''), d.date) IN (SELECT (source_id, region, date) FROM source_day))
                AND CASE WHEN p.effective_to <= p.observed_at THEN d.date BETWEEN p.effective_from AND p.effective_to
                    ELSE d.date = greatest(p.observed_at, p.effective_from) END
                AND billing IN ('on_demand', 'spot', 'marketplace') AND (gpu_id, billing) NOT IN
                    (SELECT (gpu_id, billing) FROM price WHERE flags LIKE '%JUMP%' AND billing IS NOT NULL)
        )
        SELECT date, gpu_id, billing, n_offers, count(*) AS listed, count(*) FILTER (NOT EXISTS (
            FROM offer_repeat AS r JOIN seen AS other ON other.offer_key = r.repeats
            WHERE r.offer_key = seen.offer_key AND other.date = seen.date AND other.billing = seen.billing)) AS offers
        FROM seen GROUP BY ALL"""
    assert len(rows(con, counted)) > 500
    assert rows(con, f"SELECT * FROM ({counted}) WHERE n_offers <> offers") == []
    assert rows(con, f"SELECT count(*) > 5 FROM ({counted}) WHERE n_offers < listed") == [(True,)]


def test_intervals_of_an_offer_do_not_overlap(con):
    sql = "SELECT valid_from, lag(valid_to) OVER (PARTITION BY offer_key ORDER BY valid_from) AS ended FROM price_change"
    assert rows(con, f"SELECT * FROM ({sql}) WHERE valid_from <= ended") == []
    assert (
        rows(con, "SELECT * FROM price_change WHERE change_ratio = 1 OR usd_per_gpu_hour IS NULL AND usd_per_gpu IS NULL") == []
    )


def test_the_macro_gives_the_newest_prices_at_the_end(con):
    ((as_of,),) = rows(con, "SELECT as_of FROM release")
    macro = rows(con, f"SELECT offer_key, observation_id FROM price_as_of(DATE '{as_of}') ORDER BY ALL")
    assert macro == rows(con, "SELECT offer_key, observation_id FROM price_latest ORDER BY ALL")
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
    """Offer b is cheaper, so the median falls as it appears on the 11th while the offers seen on both days rise by a tenth."""
    con = history(
        price_tables,
        offer("a", 2.0, 10),
        offer("a", 2.2, 11),
        offer("b", 1.0, 11, provider="B"),
        offer("c", 4.0, 20, provider="C"),
    )
    sql = "SELECT date, usd_median, usd_matched, recent FROM price_history ORDER BY date"
    assert rows(con, sql) == [
        (august(10), 2.0, 2.0, True),
        (august(11), 1.6, pytest.approx(2.2), True),
        (august(20), 4.0, 4.0, True),
    ]
    assert rows(con, "SELECT n_days, usd_first, usd_last, n_matched FROM price_history_summary") == [(3, 2.0, 4.0, 0)]


def test_a_dated_document_before_a_long_gap_is_not_recent(price_tables):
    old = offer("a", 5.0, 1) | {"observed_at": dt.date(2026, 5, 1)}
    con = history(price_tables, old, offer("a", 2.0, 19), offer("a", 2.0, 20))
    assert rows(con, "SELECT recent, usd_matched FROM price_history ORDER BY date") == [(False, None), (True, 2.0), (True, 2.0)]
