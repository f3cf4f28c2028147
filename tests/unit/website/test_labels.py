"""Names of columns and quantities as pages write them."""

import pytest

from pipeline.website.writing.labels import counted_unit, in_words, unit_beside, words, workload_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("stylegan_xl_training", "StyleGAN-XL training"),
        ("min_memory_gb", "Least memory GB"),
        ("min_cuda_version", "First CUDA version"),
        ("max_cuda_version", "Last CUDA version"),
        ("usd_per_gb_per_min", "USD per GB/min"),
        ("tokens_per_min", "Tokens per minute"),
        ("tokens_per_minute", "Tokens per minute"),
        ("sparsity_2_4", "2:4 sparsity"),
        ("max_gpus_in_4_double_slots", "Max GPUs in 4 double-width slots"),
        ("multi_gpu_advantage_percent", "Multi-GPU advantage percent"),
        ("share_of_rtx_3090_percent", "Share of RTX 3090 percent"),
        ("resnet50_images_per_s", "ResNet-50 images per s"),
        ("cpu_model", "CPU model"),
        ("co2_kg_per_year", "CO2 kg per year"),
        ("kg_co2_per_kwh", "kg CO2 per kWh"),
        ("energy_kwh_per_year", "Energy kWh per year"),
        ("network_gbit_per_s_at_least", "Network Gbit per s at least"),
        ("utilisation_percent", "Utilization percent"),
        ("data_centre", "Data center"),
    ],
)
def test_a_name_is_written_in_words(name: str, shown: str) -> None:
    assert words(name) == shown


@pytest.mark.parametrize(
    ("quantity", "unit", "told"),
    [
        ("power_ratio", "ratio", ""),
        ("training_hours", "h", ""),
        ("gpu_power_w", "W", ""),
        ("usd_per_gb", "USD/(GB·h)", ""),
        ("bandwidth_speedup", "ratio", "ratio"),
        ("memory_bandwidth", "GB/s", "GB/s"),
    ],
)
def test_a_unit_is_printed_once(quantity: str, unit: str, told: str) -> None:
    assert unit_beside(quantity, unit) == told


def test_names_within_a_text_are_written_in_words() -> None:
    assert in_words("stylegan_xl_training: A100 88.33 rank 4") == "StyleGAN-XL training: A100 88.33 rank 4"
    assert workload_name("bert_base_squad") == "BERT base SQuAD"
    assert workload_name("PyTorch/Segmentation/UNet_3D") == "UNet 3D (PyTorch)"


def test_several_things_have_a_plural() -> None:
    assert (counted_unit(365.0, "day"), counted_unit(1.0, "load"), counted_unit(4, "GB")) == ("days", "load", "GB")
