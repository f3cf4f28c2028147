"""cloud-gpus.com: a wide list, one price of one GPU per cell."""

import pytest

from pipeline.gpu_identity import resolve
from sources import UnparsableError
from tests.unit.sources.prices.support import codes, parse, sample, stored

SOURCE = "cloud-gpus-com"


def test_the_stored_file():
    kept, refused = stored(SOURCE)
    prices = {(row.provider, row.raw_gpu_name): (row.amount, row.reported_memory_gb, row.qualifier) for row in kept.values()}
    assert prices == {
        ("Example Cloud", "t4"): (0.40, None, "exact"),
        ("Example Cloud", "a100"): (2.10, 80, "exact"),
        ("Example Metal", "a40"): (1.05, None, "from"),
        ("Example Metal", "rtx6000ada"): (0.99, None, "exact"),
    }
    assert codes(refused) == {"EMPTY": 1}


def test_the_sample_gives_every_price_and_mostly_known_gpus():
    kept, refused = parse(SOURCE, "cloud_gpu.json", sample("cloud_gpus_json/cloud_gpu.json"))
    assert len(kept) == 296
    assert set(codes(refused)) <= {"EMPTY"}
    meant = [resolve(row.raw_gpu_name, "", row.reported_memory_gb) for row in kept.values()]
    assert sum(1 for found in meant if found.gpu_id) > 120
    assert {found.reason_code for found in meant} <= {None, "AMBIGUOUS_GPU", "UNKNOWN_GPU"}


def test_a_cell_that_is_no_price_is_rejected_alone():
    kept, refused = parse(SOURCE, "cloud_gpu.json", '{"data": [{"name": "A", "costt4": "soon", "costl4": "$0.5"}]}')
    assert (len(kept), codes(refused)) == (1, {"PARSE": 1})


@pytest.mark.parametrize("text", ["{}", '{"data": [{"name": "A"}]}', '{"data": ["A"]}', "<html>moved</html>", ""])
def test_another_form_is_refused(text):
    with pytest.raises(UnparsableError):
        parse(SOURCE, "cloud_gpu.json", text)
