"""Audit, statements, forecasts, systems and break-even of the guides of 2020 and 2023, on the built database."""

import duckdb
import pytest

DETTMERS, CLAYTON = "dettmers-2020", "pro-vs-consumer-2023"
CORRECTED = "A100 over V100/corrected_speedup"
DESKTOP = "desktop at 15% utilisation"


def one(con: duckdb.DuckDBPyConnection, sql: str, *values):
    (row,) = con.execute(sql, list(values)).fetchall()
    return row[0] if len(row) == 1 else row


def audit(con, figure_id):
    return one(con, "SELECT recomputed, agrees, note FROM audit WHERE figure_id = ?", figure_id)


@pytest.mark.parametrize(
    ("figure_id", "recomputed", "agrees"),
    [
        (f"{DETTMERS}/32x32 matrix product/cycles_without_tensor_cores", 392, True),
        (f"{DETTMERS}/32x32 matrix product/cycles_with_tensor_cores", 221, True),
        (f"{DETTMERS}/32x32 matrix product/tensor_core_products", 512, False),
        (f"{DETTMERS}/32x32 matrix product/tensor_cores_per_multiprocessor", 4, False),
        (f"{DETTMERS}/A100 over V100/bandwidth_speedup", 1555 / 900, True),
        (f"{DETTMERS}/A100 over V100/theoretical_speedup_low", 1555 / 900 * 1.02 * 1.01, True),
        (f"{DETTMERS}/A100 over V100/theoretical_speedup_high", 1555 / 900 * 1.05 * 1.03, True),
        (f"{DETTMERS}/Mask R-CNN, {CORRECTED}", 161 / 92 / 1.136 / 1.05, True),
        (f"{DETTMERS}/SE-ResNeXt101, {CORRECTED}", 1.63999, False),
        (f"{DETTMERS}/Transformer WMT14 en-de, {CORRECTED}", 2.02105, False),
        (f"{DETTMERS}/computer vision, {CORRECTED}", 1.45, True),
        (f"{DETTMERS}/CNN, V100/scaling_1_to_8", 7.03406, False),
        (f"{DETTMERS}/{DESKTOP}/energy_kwh_per_year", 591.3, True),
        (f"{DETTMERS}/{DESKTOP}/electricity_usd_per_year", 70.956, True),
        (f"{DETTMERS}/desktop against AWS V100 spot at 15% utilisation/break_even_days", 293, True),
        (f"{DETTMERS}/AWS V100 spot, 300 days at 15% utilisation/cloud_cost_usd", 2311.2, True),
        (f"{DETTMERS}/desktop at break-even/desktop_cost_usd", 2270.956, True),
        (f"{DETTMERS}/4x RTX 3080/psu_sufficient_w", 1600, True),
        (f"{DETTMERS}/4x RTX 3090/gpu_power_w", 1400, True),
        (f"{DETTMERS}/RTX 3090 over RTX 2080 Ti/price_increase_percent", 50.05005, False),
        (f"{CLAYTON}/4x RTX 6000 Ada/system_memory_gb", 192, True),
        (f"{CLAYTON}/4x RTX 6000 Ada/gpu_power_w", 1200, True),
        (f"{CLAYTON}/4x RTX 4090/system_memory_gb", 96, True),
        (f"{CLAYTON}/4x RTX 4090/gpu_power_w", 1800, True),
        (f"{CLAYTON}/RTX 4090/max_gpus_in_4_double_slots", 2, True),
        (f"{CLAYTON}/RTX 6000 Ada/max_gpus_in_4_double_slots", 4, True),
        (f"{CLAYTON}/192 GB of RTX 4090, each system/power_ratio", 1.5, False),
        (f"{CLAYTON}/400 epochs of EfficientNet B7, GTX 1070/training_days", 4.16667, True),
        (f"{CLAYTON}/400 epochs of EfficientNet B7, 2x RTX 6000 Ada/training_hours", 6.66667, False),
        (f"{CLAYTON}/EfficientNet B7, 2x RTX 6000 Ada over GTX 1070/speedup", 15.38462, False),
        (f"{CLAYTON}/EfficientNet B7, Tesla T4/peak_gpu_memory_gb", 9.88, True),
        (f"{CLAYTON}/RTX 6000 Ada/launch_msrp_usd", 6799, True),
    ],
)
def test_figures_that_can_be_recomputed(con, figure_id, recomputed, agrees):
    found, verdict, note = audit(con, figure_id)
    assert (found, verdict) == (pytest.approx(recomputed, abs=1e-5), agrees)
    assert agrees or note


def test_every_figure_of_both_guides_is_judged_or_says_what_is_missing(con):
    silent = "SELECT figure_id FROM audit WHERE source_id IN (?, ?) AND NOT coalesce(agrees, false) AND note IS NULL"
    assert con.execute(silent, [DETTMERS, CLAYTON]).fetchall() == []
    assert one(con, "SELECT count(*) FROM audit WHERE source_id IN (?, ?)", DETTMERS, CLAYTON) == 154


@pytest.mark.parametrize(
    ("claim_id", "verdict", "arithmetic"),
    [
        ("d01", "mixed", "8 rounds of products take 200 + 20 + 8 * 1 = 228 cycles, not 221"),
        ("d03", "mixed", "Transformer/speedup: 1.5 printed, 1.93 recomputed"),
        ("d04", "holds", "293 recomputed"),
        ("d05", "fails", "5%: 879 days; 10%: 440 days; a year has 365"),
        ("d06", "mixed", "1.64 recomputed"),
        ("d08", "fails", "GTX 1070"),
        ("d10", "mixed", "100 KB on"),
        ("d11", "fails", "256 and from 512"),
        ("d12", "unchecked", "cannot judge them"),
        ("d13", "fails", "measured"),
        ("d14", "fails", "329 USD"),
        ("d15", "fails", "2021-06-03"),
        ("d18", "mixed", "no constant is right everywhere"),
        ("c02", "mixed", "epoch minutes: 15 printed, not recomputed"),
        ("c03", "fails", "ratio of at least 1.09"),
        ("c04", "holds", "450 / 300"),
        ("c05", "mixed", "both together 3"),
        ("c06", "unchecked", "peak not known: 2x RTX 6000 Ada EfficientNet B0"),
        ("c07", "mixed", "1024 GB"),
    ],
)
def test_statements_are_judged_by_computation(con, claim_id, verdict, arithmetic):
    found, shown = one(con, "SELECT verdict, arithmetic FROM guide_claim WHERE claim_id = ?", claim_id)
    assert (found, arithmetic in shown) == (verdict, True), shown


def test_every_statement_has_a_verdict(con):
    missing = "SELECT claim_id FROM guide_claim WHERE source_id IN (?, ?) AND verdict IS NULL"
    assert con.execute(missing, [DETTMERS, CLAYTON]).fetchall() == []
    assert one(con, "SELECT count(*) FROM guide_claim WHERE source_id IN (?, ?)", DETTMERS, CLAYTON) == 78


def test_forecasts_beside_what_came(con):
    found = {row[0]: row[1:] for row in con.execute("SELECT forecast_id, came_low, basis, verdict FROM forecast").fetchall()}
    assert found["rtx-3060-price"] == (329, "launch price", "fails")
    assert found["rtx-3080-ti"] == found["rtx-3090-ti"] == (1, "release", "fails")
    assert found["rtx-3090-successor"][1] == "measured"
    verdicts = {name: verdict for name, (*_, verdict) in found.items()}
    assert (verdicts["rtx-40-series"], verdicts["amd-tensor-cores"], verdicts["hbm-3-years"]) == ("holds", "fails", "holds")
    assert verdicts["hbm-5-7-years"] == "unchecked"
    assert found["amd-rocm"] == (pytest.approx(4.65, abs=0.01), "cited", "holds")


def test_break_even_of_the_guide_and_of_the_gpus(con):
    own = """SELECT break_even_days, electricity_kwh_per_year, gpu_usd + host_usd FROM break_even
        WHERE guide_case AND utilisation_percent = 15"""
    assert one(con, own) == (293, pytest.approx(591.3), 2200)
    per_offer = "SELECT DISTINCT count(*) FROM break_even GROUP BY purchase_id, rental_observation_id"
    assert con.execute(per_offer).fetchall() == [(20,)]


@pytest.mark.parametrize("utilisation", [0.05, 0.15, 0.5, 1.0])
@pytest.mark.parametrize("purchase", [1, 700, 2200, 25000])
@pytest.mark.parametrize("cloud", [0.055, 0.5, 2.14, 30])
def test_break_even_is_the_first_day_on_which_renting_costs_as_much(con, utilisation, purchase, cloud):
    days = one(con, "SELECT break_even_days(?, ?, ?, 450, 0.12)", purchase, cloud, utilisation)
    hours = 24 * utilisation

    def ahead(day):
        return cloud * hours * day - purchase - 0.45 * 0.12 * hours * day

    assert days == int(days) >= 1
    assert ahead(days) >= -1e-6
    assert ahead(days - 1) < 1e-6


@pytest.mark.parametrize(("cloud", "utilisation"), [(0.05, 0.5), (0.054, 0.5), (2.14, 0)])
def test_renting_that_is_never_dearer_has_no_break_even(con, cloud, utilisation):
    assert one(con, "SELECT break_even_days(2200, ?, ?, 450, 0.12)", cloud, utilisation) is None


def test_systems(con):
    sql = """SELECT memory_gb_total, gpu_watts, psu_guide_w, fits_four_double_slots FROM system_build
        WHERE gpu_count = 4 AND gpu_id = ?"""
    assert one(con, sql, "nvidia-rtx-6000-ada-48gb") == (192, 1200, 1500, True)
    assert one(con, sql, "nvidia-geforce-rtx-4090-24gb") == (96, 1800, 2100, False)
    assert one(con, sql, "nvidia-geforce-rtx-3080-10gb")[2] == 1580
    assert one(con, sql, "nvidia-geforce-rtx-3090-24gb")[2] == 1700
    assert one(con, sql, "nvidia-a100-sxm4-40gb")[3] is None
    fits = "SELECT fits_four_double_slots FROM system_build WHERE gpu_count = 2 AND gpu_id = ?"
    assert one(con, fits, "nvidia-geforce-rtx-4090-24gb") is True
    assert one(con, "SELECT psu_w(4, 320)") == 1850


@pytest.mark.parametrize(("width", "gpus"), [(1, 4), (2, 4), (2.5, 2), (3, 2), (4, 2), (5, 1)])
def test_gpus_that_fit_four_double_slots(con, width, gpus):
    assert one(con, "SELECT max_gpus_in_slots(4, ?)", width) == gpus


def test_functions_of_the_2020_guide(con):
    assert one(con, "SELECT matmul_32x32_cycles(false), matmul_32x32_cycles(true)") == (392, 221)
    mask_rcnn = "SELECT scaling_corrected_speedup(batch_corrected_speedup(161 / 92, 0.136, 8, 4), 1.05, 1)"
    assert one(con, mask_rcnn) == pytest.approx(1.467, abs=5e-4)
    assert one(con, "SELECT theoretical_speedup(1555, 900, 0, 0)") == pytest.approx(1.7278, abs=1e-4)
    assert one(con, "SELECT electricity_kwh_per_year(450, 0.15)") == pytest.approx(591.3)


def test_dettmers_2020_is_linear_in_multiprocessors_and_bandwidth(con):
    """An RTX 2070 (36, 448 GB/s) from an RTX 2080 Ti (68, 616 GB/s) at speed 10."""
    assert one(con, "SELECT dettmers_2020(10, 36, 448, 68, 616)") == pytest.approx(10 * (36 / 68 + 448 / 616) / 2)
    assert one(con, "SELECT dettmers_2020(1.45, 82, 936, 108, 1555)") == pytest.approx(0.98686, abs=1e-5)
    assert one(con, "SELECT dettmers_2020(3, 68, 616, 68, 616)") == 3
    assert "the RTX 3090 is at 0.987" in audit(con, f"{DETTMERS}/RTX 3090 over RTX 2080 Ti, CNN/speedup")[2]


def test_statements_of_several_figures_judge_each_of_them(con):
    shown = one(con, "SELECT arithmetic FROM guide_claim WHERE claim_id = 'c02'")
    assert shown.count(" printed, ") == 4
    assert shown.count("not recomputed") == 2
