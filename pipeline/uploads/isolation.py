"""Barriers between the child process and the network and all files, set up before it receives an upload's first byte.

First, no descriptor can be opened any more, hence no new socket or file; this works on every system that the project supports.
Second, on Linux the process has its own network namespace without interfaces. Where the kernel forbids that, as in containers
that may not create namespaces, only the first barrier is in place.
"""

import ctypes
import os
import resource
import sys

CHANNEL = 3  # the lowest number after standard input, output and error
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # flags of unshare(2)


def close_descriptors(channel: int) -> int:
    """Forbid opening any descriptor but the channel, and return the number under which the process keeps the channel."""
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL, inheritable=False)
        os.close(channel)
    resource.setrlimit(resource.RLIMIT_NOFILE, (CHANNEL + 1, CHANNEL + 1))
    return CHANNEL


def leave_network() -> bool:
    """Move this process, which must have one thread, into its own network namespace; False if the kernel forbids it.

    A user namespace is created first: without root a network namespace needs one, and only root could leave it again.
    Uses the C library, since Python has `os.unshare` from 3.12 only.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    return any(library.unshare(flags) == 0 for flags in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK))
