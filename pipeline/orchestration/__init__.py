"""The Dagster graph of a build: assets, checks, jobs, schedules and sensors.

Nothing outside this folder, `pipeline.definitions` and the command `build` imports Dagster.
"""

import warnings

import dagster as dg

warnings.filterwarnings("ignore", category=dg.BetaWarning)  # code references: a release may change them, and the tests will tell
