"""MLPerf Training: minutes until a model reaches its target quality, the outside check of the performance index.

No fit reads this source. The minutes were compiled from the result logs of the submissions.
"""

from pipeline.schema.throughput import MlperfTraining
from sources import Source, rows_of

SOURCE = Source(
    source_id="mlperf-training",
    title="MLPerf Training: times to train of rounds v0.7, v1.1, v2.1 and v4.0",
    kind="throughput",
    yields=(MlperfTraining,),
    attribution=(
        "MLPerf Training: minutes compiled from the result logs that MLCommons publishes, not verified by MLCommons. "
        "MLPerf is a trademark of the MLCommons Association"
    ),
    url="https://github.com/mlcommons/training_results_v4.0",
    terms_url="https://github.com/mlcommons/policies",
    licence="Apache-2.0 (result repositories of MLCommons)",
    republish=True,
)

parse = rows_of(MlperfTraining)
