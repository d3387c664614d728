# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The cost of counting a million keys, and how much faster that is than reading a capture with text tools."""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapWriter

from TesterLibrary.model.planned_query import PlannedQuery
from TesterLibrary.model.ports import Port
from TesterLibrary.model.query import LENGTH, Query, QueryKeys
from TesterLibrary.model.units import Bandwidth
from TesterLibrary.planning.query import plan_query
from TesterLibrary.targets.engine.client import EngineTarget

from .harness.alternate import alternate, paired, rate
from .harness.edited import flows
from .harness.outcome import Impossible, Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_WARM_UP_S = 1.0  # every key has been seen by then
_MEGA = 1e6
_KEYS = 1_000_000
_NONE = "no query"
_TEXT = "tcpdump | awk"
_FRAMES = 200_000  # of the file that the text tools read


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


@benchmark(unit="Mpps", bound=at_least(20))
def query_reduce_text(settings: Settings) -> Outcome:
    """The same against `tcpdump -r FILE | awk` that sums up by the same keys, a file of 200,000 frames"""
    if shutil.which("tcpdump") is None:
        raise Impossible("tcpdump is not installed; apt-get install tcpdump")
    with TemporaryDirectory() as folder:
        file = Path(folder, "frames.pcap")
        with PcapWriter(str(file)) as writer:
            for number in range(_FRAMES):
                addresses = IP(src=f"198.18.{number // 250 % 250}.{number % 250}", dst="198.19.0.1")
                writer.write(
                    Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02") / addresses / UDP() / bytes(18)
                )

        def text() -> float:
            summed = "awk '{n[$3 $5] += $NF} END {for (k in n) s++; print s}'"
            command = f"tcpdump -nn -q -r {file} 2>/dev/null | {summed}"
            before = time.monotonic()
            subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
            return _FRAMES / (time.monotonic() - before) / _MEGA

        sides = {"ours": lambda: _counted(settings), _TEXT: text}
        return paired(alternate(sides, settings.runs), _TEXT)
