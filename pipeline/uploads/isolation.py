"""What parts the child process from the network and from every file, before it is given an upload's first byte.

There are two barriers. No descriptor can be opened any more, so there is neither a new socket nor a new file: this holds on every
system that the project runs on. And on Linux the process has a network of its own in which nothing is up. Where the kernel
forbids that, as in containers that may not make namespaces, the first barrier stands alone.
"""

import ctypes
import os
import resource
import sys

CHANNEL = 3  # the lowest number after standard input, output and error
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # flags of unshare(2)


def close_descriptors(channel: int) -> int:
    """Let no descriptor be opened beside the channel, which the process keeps under the number that is returned."""
    if channel != CHANNEL:
        os.dup2(channel, CHANNEL, inheritable=False)
        os.close(channel)
    resource.setrlimit(resource.RLIMIT_NOFILE, (CHANNEL + 1, CHANNEL + 1))
    return CHANNEL


def leave_network() -> bool:
    """Move this process, which must have one thread, into a network namespace of its own; False where the kernel forbids it.

    A user namespace comes first: it is what a plain user needs, and it takes root's rights to come back.
    Called through the C library: Python has `os.unshare` from 3.12 only.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    return any(library.unshare(flags) == 0 for flags in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK))
