"""What the Dagster UI shows of the graph without any run."""

from pathlib import Path

import dagster as dg
import pytest

from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.source_assets import fetched_keys
from pipeline.schema.prices import Price


@pytest.fixture(scope="module")
def made() -> dg.Definitions:
    """The graph, which takes a second to make; no test changes it."""
    return make_definitions(BuildResource())


def references(spec: dg.AssetSpec) -> list[dg.LocalFileCodeReference]:
    found = spec.metadata.get("dagster/code_references")
    listed = found.code_references if isinstance(found, dg.CodeReferencesMetadataValue) else []
    return [one for one in listed if isinstance(one, dg.LocalFileCodeReference)]


def test_every_asset_refers_to_its_code(made: dg.Definitions) -> None:
    specs = {spec.key.to_user_string(): spec for spec in made.resolve_all_asset_specs()}
    without = [name for name, spec in specs.items() if not references(spec)]
    assert without == []
    assert all(Path(one.file_path).exists() for spec in specs.values() for one in references(spec))
    (price,) = references(specs["price"])
    line = Path(price.file_path).read_text().splitlines()[(price.line_number or 0) - 1]
    assert line.startswith(f"class {Price.__name__}")


def test_only_snapshots_that_the_daily_job_fetches_can_be_overdue(made: dg.Definitions) -> None:
    specs = made.resolve_all_asset_specs()
    limited = {spec.key for spec in specs if spec.freshness_policy}
    assert dg.AssetKey(["snapshots", "ecb"]) in limited
    assert limited <= set(fetched_keys())


def test_no_group_and_nothing_upstream_of_the_publication_needs_a_day(made: dg.Definitions) -> None:
    """Dagster refuses to materialize a selection with partitions unless a day is named, which would be fetched."""
    graph = made.resolve_asset_graph()
    days = {key for key in graph.get_all_asset_keys() if graph.get(key).partitions_def}
    assert days, "a source publishes by day"
    assert not days & dg.AssetSelection.from_string('+key:"publication"').resolve(graph)
    assert {graph.get(key).group_name for key in graph.get_all_asset_keys() - days}.isdisjoint({"daily_lists"})
    assert {graph.get(key).group_name for key in days} == {"daily_lists"}


def test_what_starts_by_itself_says_what_it_does(made: dg.Definitions) -> None:
    started = (*(made.schedules or ()), *(made.sensors or ()), *(made.jobs or ()))
    assert [one.name for one in started if not one.description] == []
