"""Automation conditions: each asset is refreshed once when data that it depends on changed.

The sensor `refresh` evaluates them. Fetching is the only thing that starts on a schedule.
"""

import functools
import operator
from collections.abc import Sequence
from typing import Any

import dagster as dg

Condition = dg.AutomationCondition[Any]


def after_fetch(fetched: Sequence[dg.AssetKey]) -> Condition:
    """Refresh rows when a snapshot's bytes changed, but not while a run still has one of the `fetched` snapshots to do.

    Without the second part, a price table would be rebuilt for each source that finishes.
    """
    condition = dg.AutomationCondition
    fetching = functools.reduce(operator.or_, (condition.asset_matches(key, condition.run_in_progress()) for key in fetched))
    return _on_changed_data() & ~fetching


def after_changes() -> Condition:
    """Refresh an asset when the data version of an input changed, once all inputs are done and their checks passed."""
    return _on_changed_data() & dg.AutomationCondition.all_deps_blocking_checks_passed()


def after_new_code() -> Condition:
    """Refresh an asset that is made of code alone, such as the declarations of sources, when that code changed."""
    condition = dg.AutomationCondition
    changed: Condition = condition.code_version_changed()
    return changed.since_last_handled() & ~condition.in_progress()


def after_daily_list(daily: dg.AssetKey) -> Condition:
    """Verify and record the snapshots of a source when a run has stored lists of days; most days before them may be missing."""
    condition = dg.AutomationCondition
    stored = condition.newly_updated() & ~condition.executed_with_root_target()
    updated: Condition = condition.asset_matches(daily, stored)
    storing: Condition = condition.asset_matches(daily, condition.in_progress())
    return updated.since_last_handled() & ~storing & ~condition.in_progress()


def _on_changed_data() -> Condition:
    condition = dg.AutomationCondition
    changed = condition.data_version_changed() & ~condition.executed_with_root_target()
    updated = condition.any_deps_match(changed | condition.will_be_requested()).since_last_handled()
    return updated & ~condition.any_deps_in_progress() & ~condition.in_progress() & ~condition.any_deps_missing()


def refresh_sensor() -> dg.AutomationConditionSensorDefinition:
    """Return the sensor that launches runs of what is to be refreshed. One evaluation of the graph takes seconds."""
    return dg.AutomationConditionSensorDefinition(
        "refresh",
        target=dg.AssetSelection.all(),
        minimum_interval_seconds=60,
        description="Materializes once what depends on changed data, after a fetch too. It never fetches.",
    )
