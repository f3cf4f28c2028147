"""The Dagster graph of a build: assets, checks, jobs, schedules and sensors.

Nothing outside this folder and `definitions` imports Dagster.
"""
