"""Free ports on this machine."""

import errno
import random
import socket
from contextlib import closing
from enum import Enum

# Below the ports that outgoing connections use: a server that is restarted finds its port free.
FIRST, LAST = 20_000, 32_000


class Fault(Enum):
    """Why a server could not listen somewhere."""

    TAKEN = "taken"
    FORBIDDEN = "forbidden"
    NO_SUCH_ADDRESS = "no such address"


def why_not(port: int, host: str = "127.0.0.1") -> Fault | None:
    """Why a server could not listen there now; None if it could."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("" if host == "*" else host, port))
        except PermissionError:
            return Fault.FORBIDDEN
        except OSError as error:
            return Fault.TAKEN if error.errno == errno.EADDRINUSE else Fault.NO_SUCH_ADDRESS
    return Fault.TAKEN if _answers(port) else None


def _answers(port: int) -> bool:
    """Whether somebody listens on all addresses at once, which some systems let us bind beside."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def choose(last: int | None = None) -> int:
    """The port of the last time if it is free, else any free one."""
    port = last or random.randrange(FIRST, LAST)
    while why_not(port):
        port = random.randrange(FIRST, LAST)
    return port
