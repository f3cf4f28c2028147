"""Helpers for tests of price sources: committed snapshots, samples, and rows counted as a build counts them."""

import datetime as dt
import hashlib
import os
import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from pipeline.fetch.snapshots import StoredFile, stored_files
from pipeline.paths import DATA, ROOT
from pipeline.prices import normalize
from pipeline.warehouse import parsed_cache
from sources import Accepted, Document, Rejected, discover

SAMPLES = Path(os.environ.get("GPULEDGER_SAMPLES", ROOT.parent / "shared" / "samples"))
FIXTURES = ROOT / "tests" / "fixtures"
DAY = dt.date(2026, 10, 1)


def parse(source_id, name, raw):
    """Rows of the bytes: accepted by locator, rejected by locator; no row of the file may be lost."""
    document = Document(f"data/raw/{source_id}/{name}", raw if isinstance(raw, bytes) else raw.encode(), DAY)
    return _split(document, discover()[source_id])


def normalized(source_id, name, raw):
    """The same after the rules for all sources: amounts of accepted prices and reason codes of rejects, by locator.

    Machines and exchange rates of other sources are left out.
    """
    parser, raw = discover()[source_id], raw if isinstance(raw, bytes) else raw.encode()
    facts = (len(raw), hashlib.sha256(raw).hexdigest(), None, dt.datetime.combine(DAY, dt.time()), None, "fetched", "whole")
    file = StoredFile(source_id, f"data/raw/{source_id}/{name}", raw, *facts)
    with tempfile.TemporaryDirectory() as cache:
        (rows,) = normalize.normalize_prices(parser.SOURCE, [parsed_cache.parse(parser, file, Path(cache))], {})
        prices, rejects = (pl.read_parquet(rows.folder / table) for table in (normalize.PRICES, normalize.REJECTS))
    return dict(prices.select("_locator", "amount").rows()), dict(rejects.select("locator", "reason_code").rows())


def stored(source_id):
    """The same over all stored files of the source, committed snapshots and fixtures; a locator begins with the file's name."""
    parser = discover()[source_id]
    kept, refused = {}, {}
    roots = [root for root in (DATA, FIXTURES) if (root / parser.SOURCE.snapshot_folder).is_dir()]
    for file in (file for root in roots for file in stored_files(parser.SOURCE, root)):
        document = file.document()
        accepted, rejected = _split(document, parser)
        kept |= {f"{document.name} {locator}": row for locator, row in accepted.items()}
        refused |= {f"{document.name} {locator}": item for locator, item in rejected.items()}
    assert {type(row) for row in kept.values()} == set(parser.SOURCE.yields)
    return kept, refused


def stored_text(source_id, name):
    return next(path for root in (DATA, FIXTURES) if (path := root / "raw" / source_id / name).exists()).read_text()


def sample(name):
    path = SAMPLES / "prices" / name
    if not path.exists():
        pytest.skip(f"no sample {name} here")
    return path.read_bytes()


def codes(rejected):
    return Counter(item.reason_code for item in rejected.values())


def _split(document, parser):
    items = list(parser.parse(document))
    assert len({item.locator for item in items}) == len(items), "a locator names two rows"
    accepted = {item.locator: item.row for item in items if isinstance(item, Accepted)}
    rejected = {item.locator: item for item in items if isinstance(item, Rejected)}
    assert document.rows_read == len({item.locator.partition(",")[0] for item in items}) > 0
    return accepted, rejected
