"""A build folder and a data folder that one test may change, with the Dagster graph over both."""

import operator
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import dagster as dg

from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.up_to_date import stale_assets
from sources import discover

_graphs: list[tuple[list[object], dg.Definitions]] = []
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class Workbench:
    """Runs of single assets, as the UI starts them."""

    def __init__(self, data: Path, out: Path) -> None:
        self.data, self.out = data, out
        self.build = BuildResource(data=str(data), out=str(out))
        self.definitions = graph()
        self.assets = [one for one in self.definitions.assets or () if isinstance(one, dg.AssetsDefinition)]

    def run(
        self,
        *keys: str,
        fetch: bool = False,
        accept_terms: Iterable[str] = (),
        accept_loss: Iterable[str] = (),
        as_of: str = "",
        day: str | None = None,
        instance: dg.DagsterInstance | None = None,
    ) -> dg.ExecuteInProcessResult:
        """Materialize the named assets alone, or those of one day."""
        accepted = {"accept_terms": list(accept_terms), "accept_loss": list(accept_loss)}
        build = BuildResource(data=str(self.data), out=str(self.out), as_of=as_of, fetch=fetch, **accepted)
        selection = [dg.AssetKey(key.split("/")) for key in keys]
        return dg.materialize(
            [one for one in self.assets if not one.keys.isdisjoint(selection)],  # resolving all of them takes a second
            selection=selection,
            resources={"build": build},
            run_config=QUIET,
            partition_key=day,
            instance=instance,
            raise_on_error=False,
        )

    def stale(self) -> set[str]:
        """Names of the assets that a build would materialize."""
        specs = [spec for spec in self.definitions.resolve_all_asset_specs() if spec.key.path[0] != "daily"]
        return {key.to_user_string() for key in stale_assets(specs, self.build)}


def graph() -> dg.Definitions:
    """Return the graph over the sources of this moment. It is made again only if a test changed them, since it takes a second."""
    sources = [part for parser in discover().values() for part in (parser, parser.SOURCE)]
    if not _graphs or len(_graphs[0][0]) != len(sources) or not all(map(operator.is_, _graphs[0][0], sources)):
        _graphs[:] = [(sources, make_definitions(BuildResource()))]
    return _graphs[0][1]


def copy_build(built: Path, out: Path, *, site: bool = True) -> None:
    """Copy a build folder without its history and older releases. Without `site` it is as if none was ever built.

    Most files are those of sites: to copy and delete them takes over a second.
    All files but the working database are links to those of `built`: replace such a file, never write into it.
    """
    left_out = {"build.lock", "dagster", *os.listdir(built / "releases")} - {(built / "current").resolve().name}
    if not site:
        left_out |= {"site", "site.json", "site-cache"}
    shutil.copytree(built, out, symlinks=True, ignore=shutil.ignore_patterns(*left_out), copy_function=_link)


def _link(source: str, target: str) -> None:
    (shutil.copyfile if Path(source).parent.name == "work" else os.link)(source, target)


def failures(result: dg.ExecuteInProcessResult) -> list[str]:
    """The one line of each failed step."""
    data = [event.step_failure_data for event in result.get_step_failure_events()]
    return [one.user_failure_data.description if one.user_failure_data else one.error.to_string() for one in data]
