"""What the published dataset is called, on what terms it is given, and how to name it."""

TITLE = "gpuledger"
DESCRIPTION = (
    "Specifications, prices and benchmark figures of GPUs with the source of every value, figures derived from "
    "them, and a recomputation of what published GPU guides state."
)
LICENCE = {"name": "CC-BY-SA-4.0", "path": "https://creativecommons.org/licenses/by-sa/4.0/", "title": "CC BY-SA 4.0"}
CITATION = "gpuledger contributors: gpuledger, a ledger of GPU specifications, prices and benchmark figures."
