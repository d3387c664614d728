# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tcpreplay`, which reads the clock again and again until the next frame of a capture is due."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from ..harness.frame import frame
from ..harness.machine import need_program
from . import child


@contextmanager
def sending(interface: str, rate: int, *, enter: Sequence[str] = ()) -> Iterator[None]:
    """One frame again and again, so often a second. Arguments as of `trafgen.sending`."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        capture = Path(folder, "frame.pcap")
        wrpcap(str(capture), [Ether(frame())])
        options = ["--quiet", f"--intf1={interface}", "--preload-pcap", "--loop=0", f"--pps={rate}"]
        with child.running([need_program("tcpreplay", "tcpreplay"), *options, str(capture)], enter=enter):
            yield
