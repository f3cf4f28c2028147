"""Rules and reasons of the resolution of labels, in the language of the page."""

import pytest

from pipeline.website.i18n.language import language, use_language
from pipeline.website.i18n.sentences import gettext_rule

SENTENCES = {
    "label of paperspace-2022: 40 GB at 1555 GB/s; Paperspace rents single PCIe cards": (
        "paperspace-2022 的标签：40 GB，1555 GB/s；Paperspace 出租单张 PCIe 卡"
    ),
    "machine NC{n}*_H100_v5: Azure NCadsH100v5 size page: one H100 NVL for 40 vCPUs": (
        "机器 NC{n}*_H100_v5：Azure NCadsH100v5 规格页：每 40 个 vCPU 一张 H100 NVL"
    ),
    "'h100' can be nvidia-h100-pcie-80gb, nvidia-h100-sxm5-80gb: form factor not stated": (
        "h100 可能是 nvidia-h100-pcie-80gb, nvidia-h100-sxm5-80gb：未注明外形规格"
    ),
    "no GPU is called 'firepro w5000'": "没有名为 firepro w5000 的 GPU",
    "machine g2.*: GRID K520: the specification table lacks it": "机器 g2.*：GRID K520：规格表中没有",
    "a reason that nobody translated: {name}": "a reason that nobody translated: {name}",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_translated_by_its_pattern_with_its_names(sentence: str) -> None:
    with use_language(language("zh")):
        assert gettext_rule(sentence) == SENTENCES[sentence]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_in_english_a_sentence_stays_as_it_is(sentence: str) -> None:
    assert gettext_rule(sentence) == sentence
