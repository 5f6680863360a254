"""Start the process that renders formulas, also on a busy machine.

The extension connects as soon as the socket is there, which may be before anybody listens.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

from sphinxcontrib.katex import KaTeXServer

PAUSE = 0.01


def start(
    server: type[KaTeXServer], directory: Path, timeout: float
) -> tuple[Popen[bytes], socket.socket]:
    """Start the process and connect to it; end it if that takes too long."""
    place = directory / "katex.sock"
    command = server.build_command(socket=place)
    process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=directory)
    deadline = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(place))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if time.monotonic() > deadline or process.poll() is not None:
                process.kill()
                raise server.timeout_error(timeout) from None
            time.sleep(PAUSE)
        else:
            return process, connection
