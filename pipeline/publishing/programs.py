"""Runs of git and rsync, with limits of time, as errors of one line."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pipeline.errors import BuildError

ANSWER_S, TRANSFER_S = 60, 3600
_SSH = f"ssh -o BatchMode=yes -o ConnectTimeout={ANSWER_S} -o ServerAliveInterval=15"
_AUTHOR = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in
           (("NAME", "gpuledger"), ("EMAIL", "gpuledger@localhost"))}  # fmt: skip
_SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_SSH_COMMAND": _SSH,
    "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
    "GIT_HTTP_LOW_SPEED_TIME": str(ANSWER_S),
    "RSYNC_RSH": _SSH,
}


class PublishError(BuildError):
    """A release or snapshots were not published. What was published before is unchanged."""


def run(*command: str | Path, timeout_s: float = TRANSFER_S, text: str = "", env: Mapping[str, str] | None = None) -> str:
    """Run a program with `text` as its input; return what it prints. Raises PublishError if it fails or takes too long."""
    arguments = [str(part) for part in command]
    environment = _AUTHOR | _SETTINGS | os.environ | {"LC_ALL": "C"} | dict(env or {})
    try:
        done = subprocess.run(  # noqa: S603  # git or rsync, without a shell
            arguments, input=text, capture_output=True, text=True, check=False, timeout=timeout_s, env=environment
        )
    except FileNotFoundError:
        raise PublishError(f"{arguments[0]} is not installed; install it, then run `gpuledger publish` again") from None
    except subprocess.TimeoutExpired:
        raise PublishError(f"{arguments[0]} was stopped after {timeout_s:.0f} s without an end") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        raise PublishError(f"{arguments[0]}: {'; '.join(lines[:3])}")
    return done.stdout
