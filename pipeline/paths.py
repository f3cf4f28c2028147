"""Paths of the project's folders."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("GPULEDGER_DATA", ROOT / "data"))
BUILD = DATA / "build"
SITE = ROOT / "site"
METRICS = ROOT / "pipeline" / "metrics"
MACROS = ROOT / "pipeline" / "macros"
