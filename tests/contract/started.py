# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine with options that the library itself does not give."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from TesterLibrary.targets.engine.program import find_program


@contextmanager
def started(log: Path, listen: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A tester with two connected ports, p1 and p2, once it is ready. Its log goes to a file."""
    command = [
        *(str(find_program()), "--listen", listen, "--exit-with-parent", "--log", "json"),
        *("--port", "p1=loop:x", "--port", "p2=loop:x", *options),
    ]
    with (
        log.open("wb") as file,
        subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True) as engine,
    ):
        deadline = time.monotonic() + 60
        try:
            while b'"ready"' not in log.read_bytes():
                assert engine.poll() is None, log.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield engine
        finally:
            engine.terminate()
