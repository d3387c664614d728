# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A way to an engine that can be cut, or that is slow."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from pathlib import Path


class Cable:
    """A way to an engine that can be cut: bytes wait meanwhile, as on a network that lost its link."""

    delay_s = 0.0  # so long bytes are on their way

    def __init__(self, engine: str, folder: Path) -> None:
        self.address = f"unix:{folder}/cable"
        self._engine = engine.removeprefix("unix:")
        self.whole = threading.Event()
        self.whole.set()
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(f"{folder}/cable")
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._engine)
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while octets := source.recv(65536):
                self.whole.wait()
                time.sleep(self.delay_s)
                sink.sendall(octets)
            sink.shutdown(socket.SHUT_WR)

    def cut(self, seconds: float) -> None:
        self.whole.clear()
        time.sleep(seconds)
        self.whole.set()
