"""Runs of git and rsync, with limits of time, as errors of one line."""

import os
import signal
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
    with _start(arguments, _AUTHOR | _SETTINGS | os.environ | {"LC_ALL": "C"} | dict(env or {})) as process:
        try:
            output, errors = process.communicate(text, timeout_s)
        except subprocess.TimeoutExpired:
            raise PublishError(f"{arguments[0]} was stopped after {timeout_s:.0f} s without an end") from None
        finally:
            if process.returncode is None:  # also after Ctrl-C
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        lines = [line for line in errors.splitlines() if line.strip()] or [f"exit status {process.returncode}"]
        raise PublishError(f"{arguments[0]}: {'; '.join(lines[:3])}")
    return output


def _start(arguments: list[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a program in a process group of its own, so that its children can be ended with it."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(  # noqa: S603  # git or rsync, without a shell
            arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment, process_group=0
        )
    except FileNotFoundError:
        raise PublishError(f"{arguments[0]} is not installed; install it, then run `gpuledger publish` again") from None
