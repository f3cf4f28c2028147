"""Table of all GPUs to explore: specifications, prices, value for money, speed."""

from pipeline.website.components.explorer import Column, explorer, format_cell, machine_value
from pipeline.website.components.purchases import purchase_note
from pipeline.website.i18n.language import N_
from pipeline.website.writing.labels import gpu_name
from pipeline.website.writing.page_writer import PageWriter

_GPUS = """
    SELECT g.*, p.rental_usd_per_gpu_hour_min, p.rental_usd_per_gpu_hour, p.n_offers, p.n_providers,
        coalesce(s.name, m.low_provider) AS cheapest_provider, m.low_price_date AS rent_date, m.low_variant_stated,
        mm.usd_per_gpu_hour_low AS model_usd_per_hour,
        x.usd_per_fp32_tflop_hour, x.usd_per_fp16_tensor_tflop_hour, x.usd_per_gb_hour, x.usd_per_pb_moved,
        p.purchase_usd, p.purchase_kind, p.purchase_date,
        p.purchase_current, b.usd_per_fp32_tflop, b.usd_per_fp16_tensor_tflop, b.usd_per_gb,
        i.index AS performance_index, i.ci_low AS performance_index_low, i.ci_high AS performance_index_high,
        i.basis AS performance_basis, d.tokens_per_s AS llm_tokens_per_s,
        v.value_rental, w.system_usd, w.value_purchase, w.usd_per_index, w.value_purchase_relative
    FROM gpu g
    LEFT JOIN gpu_price p USING (gpu_id)
    LEFT JOIN rental_market m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (g.gpu_id, 'on_demand', 'any', 'any')
    LEFT JOIN provider s ON s.provider_id = m.low_provider
    LEFT JOIN rental_market mm
        ON (mm.gpu_model_id, mm.gpu_id, mm.billing, mm.commitment, mm.gpus) = (g.gpu_model_id, 'any', 'on_demand', 'any', 'any')
    LEFT JOIN rental_value x ON (x.gpu_id, x.billing, x.commitment, x.gpus) = (g.gpu_id, 'on_demand', 'any', 'any')
    LEFT JOIN purchase_metric b ON b.observation_id = p.purchase_observation_id AND p.purchase_current
    LEFT JOIN performance_index i ON i.gpu_id = g.gpu_id AND i.family = 'all' AND i.precision = 'fp16'
    LEFT JOIN llm_speed d ON (d.gpu_id, d.llm_model_id, d.phase, d.gpu_count) = (g.gpu_id, 'llama-3.1-8b', 'decode', 1)
    LEFT JOIN value_index v ON v.gpu_id = g.gpu_id AND v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1
    LEFT JOIN value_index w
        ON (w.gpu_id, w.family, w.precision, w.gpu_count, w.purchase_current) = (g.gpu_id, 'all', 'fp16', 1, true)
    ORDER BY mm.n_offers DESC NULLS LAST, p.n_offers DESC NULLS LAST, g.release_date DESC NULLS LAST, g.gpu_id
"""
_SIXTEEN_BIT = N_("16-bit training, all kinds of network, one GPU.")
_MEDIAN = N_("16-bit training, all kinds of network, one GPU, at the price in column 'Rent, median'.")
_LLAMA = N_("Llama 3.1 8B as Q4_K_M in llama.cpp, measured or predicted.")
_CHEAPEST = N_("At the cheapest current on-demand offer.")
_ANY_VARIANT = N_("Of its model, offers of no stated variant too.")
_OWNED = N_("At a price to own of the last 12 months.")
_COLUMNS = {
    N_("To rent, on demand"): (
        Column("rental_usd_per_gpu_hour_min", "gpu_price", N_("Rent from"), shown=True),
        Column("cheapest_provider", "rental_market", N_("Cheapest at"), name="low_provider", shown=True),
        Column("rent_date", "rental_market", N_("Rent date"), name="low_price_date", shown=True),
        Column("low_variant_stated", "rental_market", N_("Variant stated"), choices=True),
        Column(
            "model_usd_per_hour", "rental_market", N_("Rent from, any variant"), name="usd_per_gpu_hour_low", more=_ANY_VARIANT
        ),
        Column("rental_usd_per_gpu_hour", "gpu_price", N_("Rent, median")),
        Column("n_offers", "gpu_price", N_("Offers")),
        Column("n_providers", "gpu_price", N_("Providers")),
    ),
    N_("Memory"): (
        Column("memory_gb", "gpu", N_("Memory"), shown=True),
        Column("driver_memory_gb", "gpu"),
        Column("memory_bandwidth_gb_per_s", "gpu", N_("Bandwidth"), shown=True),
        Column("memory_type", "gpu", choices=True),
        Column("l2_cache_mb", "gpu"),
        Column("shared_memory_per_sm_kb", "gpu", N_("Shared memory per SM")),
    ),
    N_("Speed"): (
        Column("performance_index", "performance_index", N_("Training speed"), name="index", more=_SIXTEEN_BIT, shown=True),
        Column("performance_index_low", "performance_index", N_("Speed, low end"), name="ci_low", more=_SIXTEEN_BIT),
        Column("performance_index_high", "performance_index", N_("Speed, high end"), name="ci_high", more=_SIXTEEN_BIT),
        Column("performance_basis", "performance_index", N_("Speed is"), name="basis", choices=True, shown=True),
        Column("llm_tokens_per_s", "llm_speed", N_("Language model, one user"), name="tokens_per_s", more=_LLAMA),
    ),
    N_("Arithmetic"): (
        Column("fp64_tflops", "gpu"),
        Column("fp32_tflops", "gpu", shown=True),
        Column("fp16_tflops", "gpu", N_("FP16 vector")),
        Column("tf32_tensor_tflops", "gpu"),
        Column("fp16_tensor_tflops", "gpu", shown=True),
        Column("fp16_tensor_fp16_accumulate_tflops", "gpu"),
        Column("bf16_tensor_tflops", "gpu"),
        Column("fp8_tensor_tflops", "gpu"),
        Column("int8_tops", "gpu", N_("INT8 vector")),
        Column("int8_tensor_tops", "gpu"),
        Column("fp4_tensor_tflops", "gpu"),
        Column("sparsity_2_4", "gpu", N_("2:4 sparsity"), choices=True),
        Column("sm_count", "gpu", N_("SMs")),
        Column("cuda_cores", "gpu"),
        Column("tensor_cores", "gpu"),
        Column("boost_clock_mhz", "gpu"),
        Column("compute_capability", "gpu"),
        Column("min_cuda_version", "gpu", N_("First CUDA")),
        Column("max_cuda_version", "gpu", N_("Last CUDA")),
    ),
    N_("Board"): (
        Column("tdp_w", "gpu", N_("Power"), shown=True, first="ascending"),
        Column("slot_width", "gpu", N_("Slots"), first="ascending"),
        Column("nvlink_gb_per_s", "gpu", N_("GPU-to-GPU link")),
        Column("pcie_generation", "gpu", N_("PCIe")),
    ),
    N_("GPU"): (
        Column("vendor", "gpu", N_("Maker"), choices=True, facet=True),
        Column("segment", "gpu", N_("Market"), choices=True, facet=True),
        Column("architecture", "gpu", N_("Chip family")),
        Column("form_factor", "gpu", N_("Form"), choices=True),
        Column("release_date", "gpu", N_("Released"), shown=True),
        Column("announced_on", "gpu", N_("Announced")),
        Column("launched_on", "gpu", N_("First sale")),
        Column("shipped_on", "gpu", N_("First delivery")),
    ),
    N_("Purchase price"): (
        Column("launch_msrp_usd", "gpu", N_("Launch price")),
        Column("purchase_usd", "gpu_price", N_("Last purchase price"), shown=True),
        Column("purchase_kind", "gpu_price", N_("Price type"), choices=True),
        Column("purchase_date", "gpu_price", N_("Purchase date"), shown=True),
        Column("purchase_current", "gpu_price", N_("Price is current"), choices=True),
        Column("usd_per_fp16_tensor_tflop", "purchase_metric", N_("Price per FP16 tensor TFLOPS"), more=_OWNED),
        Column("usd_per_fp32_tflop", "purchase_metric", N_("Price per FP32 TFLOPS"), more=_OWNED),
        Column("usd_per_gb", "purchase_metric", N_("Price per GB"), more=_OWNED),
    ),
    N_("Value"): (
        Column("usd_per_fp16_tensor_tflop_hour", "rental_value", N_("Rent per FP16 tensor TFLOPS"), more=_CHEAPEST, shown=True),
        Column("usd_per_fp32_tflop_hour", "rental_value", N_("Rent per FP32 TFLOPS"), more=_CHEAPEST),
        Column("usd_per_gb_hour", "rental_value", N_("Rent per GB"), more=_CHEAPEST),
        Column("usd_per_pb_moved", "rental_value", N_("Rent per PB moved"), more=_CHEAPEST),
        Column("value_rental", "value_index", N_("Speed per median price"), more=_MEDIAN, shown=True),
        Column("system_usd", "value_index", N_("Machine with the GPU"), more=_SIXTEEN_BIT),
        Column("value_purchase", "value_index", N_("Speed for the price"), more=_SIXTEEN_BIT),
        Column("usd_per_index", "value_index", N_("Price of an RTX 2080 Ti"), more=_SIXTEEN_BIT, shown=True),
        Column("value_purchase_relative", "value_index", N_("Value against RTX 3080"), more=_SIXTEEN_BIT),
    ),
}


def write(writer: PageWriter) -> None:
    """Write the table of GPUs."""
    rows = writer.data.rows(_GPUS)
    writer.write_page(
        "gpus",
        "GPUs side by side",
        "Every GPU with its specifications, prices and speed. Filter, compare and download.",
        explored=explorer(writer.data, "gpu-table", _COLUMNS, rows),
        shown=format_cell,
        exact=machine_value,
        names={row["gpu_id"]: gpu_name(row["name"]).removeprefix("NVIDIA ") for row in rows},
        purchase_note=purchase_note(writer.data),
    )
