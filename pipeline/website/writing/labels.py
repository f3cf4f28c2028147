"""Display names of columns, months, GPUs and sources."""

import datetime as dt
import re
from collections.abc import Sequence

from markupsafe import Markup

from pipeline.website.i18n.language import N_, current_language, gettext, gettext_figures, mark_english, translated_if_any
from pipeline.website.writing.database import Row
from pipeline.website.writing.numbers import month_name

_UNITS = {"usd", "gb", "w", "days", "mhz", "mb", "kb", "tflops", "tops"}  # which a heading prints separately
_UNIT_WORDS = {"%": "percent", "h": "hours", "kWh": "kwh"}
_CAPITALS = """
    yolor gpu usd gb tflops tflop tops fp16 fp32 fp64 tf32 bf16 fp8 fp4 int8 cpu cuda rtx tdp w msrp psu co2 mb kb sm l2 cnn rnn
    lstm p2p a100 a6000 m4000 bert gnmt ssd
"""
_WORDS = {name: name.upper() for name in _CAPITALS.split()} | {
    "degc": "°C",
    "efficientnet": "EfficientNet",
    "gpus": "GPUs",
    "kwh": "kWh",
    "gbit": "Gbit",
    "mhz": "MHz",
    "pcie": "PCIe",
    "nvlink": "NVLink",
    "sparsity": "2:4 sparsity",
    "watts": "power",
    "bilstm": "BiLSTM",
    "a4000": "A4000,",
    "a5000": "A5000,",
    "datacenter": "data center",
    "centre": "center",
    "utilisation": "utilization",
    "squad": "SQuAD",
    "maskrcnn": "Mask R-CNN",
    "resnet50": "ResNet-50",
    "tacotron2": "Tacotron 2",
    "transformerxlbase": "Transformer-XL base",
    "transformerxllarge": "Transformer-XL large",
    "waveglow": "WaveGlow",
}
_NOUNS = {
    "change": (N_("{count} change"), N_("{count} changes")),
    "day": (N_("{count} day"), N_("{count} days")),
    "GPU": (N_("{count} GPU"), N_("{count} GPUs")),
    "GPU model": (N_("{count} GPU model"), N_("{count} GPU models")),
    "month": (N_("{count} month"), N_("{count} months")),
    "offer": (N_("{count} offer"), N_("{count} offers")),
    "provider": (N_("{count} provider"), N_("{count} providers")),
    "row": (N_("{count} row"), N_("{count} rows")),
    "run": (N_("{count} run"), N_("{count} runs")),
    "workload": (N_("{count} workload"), N_("{count} workloads")),
    "year": (N_("{count} year"), N_("{count} years")),
}
_LINKS = {
    "nvlink": "NVLink, NVSwitch",
    "nvlink_bridge_pairs": N_("NVLink in pairs"),
    "pcie_p2p": N_("PCIe direct"),
    "pcie_no_p2p": N_("PCIe via host"),
    "unknown": N_("not stated"),
}
_NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b(?!\.)")
_COUNTED = {"card", "core", "cycle", "day", "image", "item", "lane", "load", "register", "slot", "thread", "warp"}
_SPELLINGS = {  # of several words, in the order in which they are replaced
    "min (?=cuda)": "first ",
    "max (?=cuda)": "last ",
    "min (?=memory)": "least ",
    "gb per min": "GB/min",
    "per min": "per minute",
    "sparsity 2 4": "sparsity",
    "double slots": "double-width slots",
    "multi gpu": "multi-GPU",
    "stylegan xl": "StyleGAN-XL",
}
_PHRASES = {re.compile(rf"\b{phrase}\b"): spelled for phrase, spelled in _SPELLINGS.items()}
_SMALL = ("kg ", "kWh ")  # units that are never capitalized


def words(name: str) -> str:
    """Return a snake_case name in words: `stylegan_xl_training` is `StyleGAN-XL training`."""
    text = _spelled(name)
    return gettext(text if text.startswith(_SMALL) else text[:1].upper() + text[1:])


def _spelled(name: str) -> str:
    text = name.replace("_", " ")
    for phrase, spelled in _PHRASES.items():
        text = phrase.sub(spelled, text)
    return " ".join(_WORDS.get(word, word) for word in text.split())


def column_label(name: str, unit: str = "x") -> str:
    """Return the heading of a column: its name without the unit, which is printed separately."""
    if not unit:
        return words(name)
    parts = name.removesuffix("_gb_per_s").split("_")
    return words("_".join(part for part in parts if part not in _UNITS) or name)


def in_words(text: str | None) -> str:
    """Return a text of the data with each snake_case name in words."""
    spell = words if current_language().folder else _spelled
    spelled = {name: spell(name) for name in _NAME.findall(text or "")}
    return translated_if_any(_NAME.sub(lambda match: spelled[match[0]], text or ""), (text or "", *spelled.values()))


def data_text(text: str | None) -> Markup:
    """Return a text of the data, part by part between semicolons: translated, or marked as English."""
    parts = (mark_english(in_words(gettext_figures(part))) for part in (text or "").split("; "))
    return Markup(gettext("; ")).join(parts)  # noqa: S704


def workload_name(name: str) -> str:
    """Return the name of a benchmark: `PyTorch/LanguageModeling/BERT` is `BERT (PyTorch)`."""
    framework, _, model = name.partition("/")
    return f"{model.rpartition('/')[2].replace('_', ' ')} ({framework})" if model else words(name)


def link_name(interconnect: str) -> str:
    """Return the name of a link between GPUs."""
    return gettext(_LINKS[interconnect]) if interconnect in _LINKS else words(interconnect)


def counted_unit(value: object, unit: str | None) -> str:
    """Return the unit of a value, in English with an s if it counts several things."""
    several = unit in _COUNTED and str(value) not in {"1", "1.0"} and not current_language().folder
    return f"{unit}s" if several else gettext(unit)


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, one of `_NOUNS`, in singular or plural."""
    return gettext(_NOUNS[noun][count != 1], count=f"{count:,}")


def unit_beside(name: str, unit: str) -> str:
    """Return the unit to print beside the words of a quantity: nothing where they contain it, as in "Power ratio"."""
    word = _UNIT_WORDS.get(unit, "usd" if unit.startswith("USD") else unit.lower().replace("/", "_per_"))
    return "" if f"_{word}" in f"_{name}" else gettext(unit)


def capitalized(text: str | None) -> str:
    """Return a text of the data in the current language, with a capital letter at the start."""
    translated = gettext(text)
    return translated[:1].upper() + translated[1:]


def month(value: dt.date | dt.datetime | None) -> str:
    """Return month and year of a date, or `undated`."""
    return gettext("{month} {year}", month=month_name(value), year=value.year) if value else gettext("undated")


def short_gpu(name: str | None, otherwise: str) -> str:
    """Return the name of a GPU without its vendor."""
    return gpu_name(name or otherwise).removeprefix("NVIDIA ").removeprefix("Tesla ")


def gpu_name(name: str) -> str:
    """Return the name of a GPU, with its remark in brackets in the current language."""
    plain, bracket, remark = name.partition(" (")
    return f"{plain} {gettext(f'({remark}')}" if bracket else name


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence: `A`, `A and B`, `A, B and C`."""
    if len(names) < 2:
        return "".join(names)
    return gettext("{names} and {last}", names=gettext(", ").join(names[:-1]), last=names[-1])


def short_source(source: Row | None) -> str:
    """Return the title of a source up to a colon or bracket."""
    return re.split(r"[:：（]| \(", source["title"])[0] if source else ""
