"""Settings of the history of runs: the project's own in a build folder, the user's in a folder that `DAGSTER_HOME` names."""

from pathlib import Path

import pytest

from pipeline.orchestration.instance import SETTINGS, home_of, open_instance


def test_a_build_folder_has_the_current_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    written = home_of(tmp_path) / SETTINGS.name
    assert written.read_bytes() == SETTINGS.read_bytes()
    written.write_text("telemetry: {enabled: true}\n")  # as an earlier version might have had it
    monkeypatch.setenv("DAGSTER_HOME", str(written.parent))  # as `make dagster` sets it
    home_of(tmp_path)
    assert written.read_bytes() == SETTINGS.read_bytes()


def test_a_folder_of_the_user_keeps_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "mine"))
    assert (home_of(tmp_path) / SETTINGS.name).read_bytes() == SETTINGS.read_bytes()
    (tmp_path / "mine" / SETTINGS.name).write_text("telemetry: {enabled: false}\n")
    assert (home_of(tmp_path) / SETTINGS.name).read_text() == "telemetry: {enabled: false}\n"


@pytest.mark.parametrize("settings", ["", "{telemetry: {enabled: false}}\n", "compute_logs:\n  module: nowhere\n  class: None\n"])
def test_a_command_starts_no_programs_that_copy_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    """They would get Ctrl-C of the terminal too, and print a trace each. Other settings stay those of the folder."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    (tmp_path / SETTINGS.name).write_text(settings)
    with open_instance(tmp_path / "build") as instance:
        assert type(instance.compute_log_manager).__name__ == "NoOpComputeLogManager"
        assert instance.telemetry_enabled is ("false" not in settings)
    assert (tmp_path / SETTINGS.name).read_text() == settings
