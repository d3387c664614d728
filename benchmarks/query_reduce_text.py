# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The speed of counting keys beside that of reading a capture with text tools."""

from __future__ import annotations

import shutil
import struct
import subprocess
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from .harness.alternate import alternate, paired
from .harness.frame import frame
from .harness.outcome import Impossible, Outcome, at_least
from .harness.queried import MEGA, received
from .harness.registry import Settings, benchmark

_TEXT = "tcpdump | awk"
_FRAMES = 200_000  # of the file that the text tools read
_SOURCE = 26  # bytes into a frame


def _capture() -> bytes:
    """A pcap file of frames of as many sources as it has frames."""
    template = bytearray(frame())
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)]
    for number in range(_FRAMES):
        template[_SOURCE : _SOURCE + 4] = (0xC6120000 + number).to_bytes(4, "big")
        parts += [struct.pack("<IIII", 0, 0, len(template), len(template)), bytes(template)]
    return b"".join(parts)


@benchmark(unit="Mpps", bound=at_least(20))
def query_reduce_text(settings: Settings) -> Outcome:
    """The same against `tcpdump -r FILE | awk` that sums up by the same keys, a file of 200,000 frames"""
    if shutil.which("tcpdump") is None:
        raise Impossible("tcpdump is not installed; apt-get install tcpdump")
    with TemporaryDirectory() as folder:
        file = Path(folder, "frames.pcap")
        file.write_bytes(_capture())

        def text() -> float:
            summed = "awk '{n[$3 $5] += $NF} END {for (k in n) s++; print s}'"
            command = f"tcpdump -nn -q -r {file} 2>/dev/null | {summed}"
            before = time.monotonic()
            subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
            return _FRAMES / (time.monotonic() - before) / MEGA

        ours = partial(received, settings, counted=True)
        return paired(alternate({"ours": ours, _TEXT: text}, settings.runs), _TEXT)
