"""A build folder and a data folder that one test may change, with the Dagster graph over both."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import dagster as dg

from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.jobs import build_job
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.up_to_date import stale_assets

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class Workbench:
    """Runs of single assets, as the UI starts them."""

    def __init__(self, data: Path, out: Path) -> None:
        self.data, self.out = data, out
        self.build = BuildResource(data=str(data), out=str(out))
        self.definitions = make_definitions(self.build)

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
        return dg.materialize(
            list(self.definitions.assets or ()),
            selection=[dg.AssetKey(key.split("/")) for key in keys],
            resources={"build": build},
            run_config=QUIET,
            partition_key=day,
            instance=instance,
            raise_on_error=False,
        )

    def run_again(self, *keys: str) -> dg.ExecuteInProcessResult:
        """Materialize assets alone, as a part of the job `build`, which is resolved once for all assets."""
        job = self.definitions.resolve_job_def(build_job.name)
        selection = [dg.AssetKey(key.split("/")) for key in keys]
        return job.execute_in_process(asset_selection=selection, run_config=QUIET, raise_on_error=False)

    def stale(self) -> set[str]:
        """Names of the assets that a build would materialize."""
        specs = [spec for spec in self.definitions.resolve_all_asset_specs() if spec.key.path[0] != "daily"]
        return {key.to_user_string() for key in stale_assets(specs, self.build)}


def copy_build(built: Path, out: Path) -> None:
    """Copy a build folder without its history.

    All files but the working database are links to those of `built`: replace such a file, never write into it.
    """
    shutil.copytree(built, out, symlinks=True, ignore=shutil.ignore_patterns("build.lock", "dagster"), copy_function=_link)


def _link(source: str, target: str) -> None:
    (shutil.copyfile if Path(source).parent.name == "work" else os.link)(source, target)


def failures(result: dg.ExecuteInProcessResult) -> list[str]:
    """The one line of each failed step."""
    data = [event.step_failure_data for event in result.get_step_failure_events()]
    return [one.user_failure_data.description if one.user_failure_data else one.error.to_string() for one in data]
