"""The table of all cards, to explore: specifications, prices, what a dollar buys, speed. A card's own page belongs in gpus."""

from pipeline.website.components.database import Row
from pipeline.website.components.explorer import Column, exact, explorer, shown
from pipeline.website.i18n.language import mark
from pipeline.website.rendering import Book

_CARDS = """
    SELECT g.*, p.rental_usd_per_hour_min, p.rental_usd_per_hour, p.n_offers, p.n_providers, m.low_provider AS cheapest_provider,
        r.usd_per_fp32_tflop_hour, r.usd_per_fp16_tensor_tflop_hour, r.usd_per_gb_hour, r.usd_per_pb_moved,
        p.purchase_usd, p.purchase_kind, p.purchase_date,
        b.usd_per_fp32_tflop, b.usd_per_fp16_tensor_tflop, b.usd_per_gb,
        i.index AS performance_index, i.ci_low AS performance_index_low, i.ci_high AS performance_index_high,
        i.basis AS performance_basis, d.index AS decode_index,
        v.value_rental, v.usd_per_index_hour, v.system_usd, v.value_purchase, v.usd_per_index, v.value_purchase_relative
    FROM gpu g
    LEFT JOIN card_price p USING (gpu_id)
    LEFT JOIN rental_market m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (g.gpu_id, 'on_demand', 'any', 'any')
    LEFT JOIN price_metric r ON r.observation_id = m.low_observation_id
    LEFT JOIN purchase_metric b ON b.observation_id = p.purchase_observation_id
    LEFT JOIN performance_index i ON i.gpu_id = g.gpu_id AND i.family = 'all' AND i.precision = 'fp16'
    LEFT JOIN decode_index d ON d.gpu_id = g.gpu_id
    LEFT JOIN value_index v ON v.gpu_id = g.gpu_id AND v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1
    ORDER BY g.release_date DESC NULLS LAST, g.gpu_id
"""
_SIXTEEN_BIT = "16-bit training, all kinds of network, one card."
_CHEAPEST = "At the cheapest current on-demand offer."
_OWNED = "At the price to own beside it."
_COLUMNS = {
    mark("Card"): (
        Column("vendor", "gpu", mark("Maker"), choices=True, facet=True),
        Column("segment", "gpu", mark("Market"), choices=True, facet=True),
        Column("architecture", "gpu", mark("Chip family")),
        Column("form_factor", "gpu", mark("Form"), choices=True),
        Column("release_date", "gpu", mark("Announced"), shown=True),
    ),
    mark("Memory"): (
        Column("memory_gb", "gpu", mark("Memory"), shown=True),
        Column("memory_bandwidth_gb_per_s", "gpu", mark("Bandwidth"), shown=True),
        Column("memory_type", "gpu", choices=True),
        Column("l2_cache_mb", "gpu"),
        Column("shared_memory_per_sm_kb", "gpu", mark("Shared memory per SM")),
    ),
    mark("Arithmetic"): (
        Column("fp64_tflops", "gpu"),
        Column("fp32_tflops", "gpu", shown=True),
        Column("fp16_tflops", "gpu", mark("FP16 vector")),
        Column("tf32_tensor_tflops", "gpu"),
        Column("fp16_tensor_tflops", "gpu", shown=True),
        Column("fp16_tensor_fp16_accumulate_tflops", "gpu"),
        Column("bf16_tensor_tflops", "gpu"),
        Column("fp8_tensor_tflops", "gpu"),
        Column("int8_tensor_tops", "gpu"),
        Column("fp4_tensor_tflops", "gpu"),
        Column("sparsity_2_4", "gpu", mark("2:4 sparsity"), choices=True),
        Column("sm_count", "gpu", mark("SMs")),
        Column("cuda_cores", "gpu"),
        Column("tensor_cores", "gpu"),
        Column("boost_clock_mhz", "gpu"),
        Column("compute_capability", "gpu"),
        Column("min_cuda_version", "gpu", mark("First CUDA")),
    ),
    mark("Board"): (
        Column("tdp_w", "gpu", mark("Power"), shown=True, first="ascending"),
        Column("slot_width", "gpu", mark("Slots"), first="ascending"),
        Column("nvlink_gb_per_s", "gpu", mark("Card-to-card link")),
        Column("pcie_generation", "gpu", mark("PCIe")),
    ),
    mark("To rent, on demand"): (
        Column("rental_usd_per_hour_min", "card_price", mark("Rent from"), shown=True),
        Column("cheapest_provider", "rental_market", mark("Cheapest at"), name="low_provider"),
        Column("rental_usd_per_hour", "card_price", mark("Rent, median")),
        Column("n_offers", "card_price", mark("Offers")),
        Column("n_providers", "card_price", mark("Providers")),
        Column("usd_per_fp16_tensor_tflop_hour", "price_metric", mark("Rent per FP16 tensor TFLOPS"), more=_CHEAPEST, shown=True),
        Column("usd_per_fp32_tflop_hour", "price_metric", mark("Rent per FP32 TFLOPS"), more=_CHEAPEST),
        Column("usd_per_gb_hour", "price_metric", mark("Rent per GB"), more=_CHEAPEST),
        Column("usd_per_pb_moved", "price_metric", mark("Rent per PB moved"), more=_CHEAPEST),
    ),
    mark("To own"): (
        Column("launch_msrp_usd", "gpu", mark("Launch price")),
        Column("purchase_usd", "card_price", mark("Price to own"), shown=True),
        Column("purchase_kind", "card_price", mark("That price is"), choices=True),
        Column("purchase_date", "card_price", mark("It is of")),
        Column("usd_per_fp16_tensor_tflop", "purchase_metric", mark("Price per FP16 tensor TFLOPS"), more=_OWNED),
        Column("usd_per_fp32_tflop", "purchase_metric", mark("Price per FP32 TFLOPS"), more=_OWNED),
        Column("usd_per_gb", "purchase_metric", mark("Price per GB"), more=_OWNED),
    ),
    mark("Speed"): (
        Column("performance_index", "performance_index", mark("Training speed"), name="index", more=_SIXTEEN_BIT, shown=True),
        Column("performance_index_low", "performance_index", mark("Speed, low end"), name="ci_low", more=_SIXTEEN_BIT),
        Column("performance_index_high", "performance_index", mark("Speed, high end"), name="ci_high", more=_SIXTEEN_BIT),
        Column("performance_basis", "performance_index", mark("Speed is"), name="basis", choices=True, shown=True),
        Column("decode_index", "decode_index", mark("Text generation"), name="index", more="One request at a time."),
    ),
    mark("Value"): (
        Column("value_rental", "value_index", mark("Speed for the rent"), more=_SIXTEEN_BIT, shown=True),
        Column("usd_per_index_hour", "value_index", mark("Rent of an RTX 2080 Ti"), more=_SIXTEEN_BIT),
        Column("system_usd", "value_index", mark("Machine with the card"), more=_SIXTEEN_BIT),
        Column("value_purchase", "value_index", mark("Speed for the price"), more=_SIXTEEN_BIT),
        Column("usd_per_index", "value_index", mark("Price of an RTX 2080 Ti"), more=_SIXTEEN_BIT, shown=True),
        Column("value_purchase_relative", "value_index", mark("Value against RTX 3080"), more=_SIXTEEN_BIT),
    ),
}


def write(book: Book) -> None:
    """Write the table of cards."""
    rows = book.data.rows(_CARDS)
    book.write(
        "gpus",
        "pages/gpu_list/page.md.j2",
        "GPUs side by side",
        "Every card with its specifications, prices and speed, to filter, compare and take away.",
        explored=explorer(book.data, "gpu-table", _COLUMNS, rows),
        shown=shown,
        exact=exact,
        names={row["gpu_id"]: _short(row) for row in rows},
    )


def _short(row: Row) -> str:
    return str(row["name"]).removeprefix("NVIDIA ")
