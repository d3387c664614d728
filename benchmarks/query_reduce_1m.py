# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of counting a million keys, and how much faster that is than reading a capture with text tools."""

from __future__ import annotations

import shutil
import struct
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from TesterLibrary.model.planned_query import PlannedQuery
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import LENGTH, Query, QueryKeys
from TesterLibrary.model.units import Bandwidth
from TesterLibrary.planning.query import plan_query
from TesterLibrary.targets.engine.client import EngineTarget

from .harness.alternate import alternate, paired, rate
from .harness.edited import flows
from .harness.frame import frame
from .harness.outcome import Impossible, Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_WARM_UP_S = 1.0  # every key has been seen by then
_MEGA = 1e6
_KEYS = 1_000_000
_NONE = "no query"
_TEXT = "tcpdump | awk"
_FRAMES = 200_000  # of the file that the text tools read
_SOURCE = 26  # bytes into a frame


def _query() -> PlannedQuery:
    """Bytes of each pair of addresses."""
    ports = {"p1": Port("p1", Bandwidth(10**10), bytes([2, 0, 0, 0, 0, 1]), 1518)}
    keys = QueryKeys.parse("IP.src,IP.dst")
    return plan_query(Query(name="all", port="p1", keys=keys, value=LENGTH, capacity=_KEYS), ports, ["p1"])


def _received(target: EngineTarget, settings: Settings) -> float:
    return rate(lambda: target.snapshot().streams[0].rx_packets, settings.seconds, warm_up=_WARM_UP_S) / _MEGA


def _counted(settings: Settings) -> float:
    with engine.looped_stream(replace(flows(_KEYS), signature=True)) as target:
        target.start_query(_query())
        received = _received(target, settings)
        summary, _ = target.read_query("all", top=0)
        if summary.keys != _KEYS or summary.counters.missed:
            raise RuntimeError(f"{summary.keys:,} keys, {summary.counters.missed:,} missed")
        return received


@benchmark(unit="Mpps", bound=at_least(0.75))
def query_reduce_1m(settings: Settings) -> Outcome:
    """64-byte frames measured over a ring, bytes of a million pairs of addresses summed up, one lcore"""

    def without() -> float:
        with engine.looped_stream(replace(flows(_KEYS), signature=True)) as target:
            return _received(target, settings)

    return paired(alternate({"ours": lambda: _counted(settings), _NONE: without}, settings.runs), _NONE)


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
            return _FRAMES / (time.monotonic() - before) / _MEGA

        sides = {"ours": lambda: _counted(settings), _TEXT: text}
        return paired(alternate(sides, settings.runs), _TEXT)
