"""Settings of the history of runs: the project's own in a build folder, the user's in a folder that `DAGSTER_HOME` names."""

from pathlib import Path

import pytest

from pipeline.orchestration.instance import SETTINGS, home_of


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
