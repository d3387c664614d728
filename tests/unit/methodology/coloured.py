# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A measurer of services over a two-rate policer that marks frames by colour; no packets, exact time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from TesterLibrary.measurement.interval import Interval
from TesterLibrary.measurement.snapshot import LatencyCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.services.service_colours import Arrived, Offered
from TesterLibrary.model.units.units import Duration, Rate
from tests.counted import stream_counters

from .measured import EVIDENCE
from .policed_services import BUSY, SIZE

_BYTE_NS = 8 * 10**9
GREEN, YELLOW = "green", "yellow"  # names of the streams


class _Bucket:
    def __init__(self, bps: int, octets: int) -> None:
        self._bps, self._octets = bps, octets
        self._credit, self._filled_ns = Fraction(octets), Fraction(0)

    def takes(self, now_ns: Fraction) -> bool:
        credit = self._credit + self._bps * (now_ns - self._filled_ns) / _BYTE_NS
        self._credit, self._filled_ns = min(Fraction(self._octets), credit), now_ns
        if self._credit < SIZE:
            return False
        self._credit -= SIZE
        return True


@dataclass
class ColouredServices:
    """Frames of the stream `green` take from the committed bucket, then, marked yellow, from the excess one.

    Those of the stream `yellow` take from the excess bucket. Time goes on from trial to trial.
    """

    cir: int  # bits/s
    cbs: int  # bytes
    eir: int = 0
    ebs: int = 0
    counts_colours: bool = True
    demotes: bool = True  # whether green frames take from the excess bucket, too
    paints: str = ""  # all that passes arrives in this colour
    line_bps: int = 100_000_000  # of frames
    late_ns: int = 0  # by which the middle frame of a trial is late, and those after it
    busy: bool = False
    unread: str = ""  # why frames of a colour may be missing
    sent: list[int] = field(default_factory=list)  # frames of each burst

    def __post_init__(self) -> None:
        self._committed, self._excess = _Bucket(self.cir, self.cbs), _Bucket(self.eir, self.ebs)
        self._now_ns = Fraction(0)

    def offer(self, rates: Mapping[str, Rate], duration: Duration) -> Offered:
        due = sorted(
            (number * SIZE * _BYTE_NS / rate.value, name)
            for name, rate in rates.items()
            for number in range(ceil(duration.ns * rate.value / (SIZE * _BYTE_NS)))
        )
        frames = [
            (time + (self.late_ns if number >= len(due) // 2 else 0), name)
            for number, (time, name) in enumerate(due)
        ]
        found = self._sent(frames, list(rates), duration.ns)
        self._now_ns += duration.ns + 10**10  # so that buckets are full
        return found

    def burst(self, service: str, frames: int, rest: Duration) -> Offered:
        self.sent.append(frames)
        gap = Fraction(SIZE * _BYTE_NS, self.line_bps)
        times = [
            number * gap + (self.late_ns if number >= frames // 2 > 0 else 0) for number in range(frames)
        ]
        took = max(1, ceil(times[-1]))
        found = self._sent([(time, service) for time in times], [service], took)
        self._now_ns += took + rest.ns
        return found

    def watch(
        self, rates: Mapping[str, Rate], duration: Duration, interval: Duration
    ) -> tuple[Trial, tuple[Interval, ...], str]:
        raise NotImplementedError

    def _sent(
        self, frames: Sequence[tuple[Fraction, str]], names: Sequence[str], duration_ns: int
    ) -> Offered:
        colours = {name: {GREEN: 0, YELLOW: 0} for name in names}
        times: dict[str, list[Fraction]] = {name: [] for name in names}
        for time, name in frames:
            times[name].append(self._now_ns + time)
            colour = self._colour(name, self._now_ns + time)
            if colour:
                colours[name][self.paints or colour] += 1
        streams = [
            self._stream(number, name, times[name], sum(colours[name].values()))
            for number, name in enumerate(names, 1)
        ]
        objections = BUSY if self.busy else ()
        trial = Trial(Fraction(1), duration_ns, tuple(streams), EVIDENCE, objections)
        arrived = tuple(Arrived(name, **counts, doubt=self.unread) for name, counts in colours.items())
        return Offered(trial, arrived if self.counts_colours else ())

    def _colour(self, name: str, now_ns: Fraction) -> str:
        if name == GREEN and self._committed.takes(now_ns):
            return GREEN
        if (name == YELLOW or self.demotes) and self._excess.takes(now_ns):
            return YELLOW
        return ""

    def _stream(self, number: int, name: str, times: Sequence[Fraction], passed: int) -> StreamResult:
        counted = stream_counters(
            id=number,
            intended_packets=len(times),
            tx_packets=len(times),
            tx_bytes=len(times) * SIZE,
            first_tx_ns=int(times[0]),
            last_tx_ns=int(times[-1]),
            worst_lateness_ns=self.late_ns,
            rx_packets=passed,
            rx_bytes=passed * SIZE,
            latency=LatencyCounters(),
        )
        return StreamResult(name, "p1", "p2", SIZE, Fraction(self.line_bps, 8 * SIZE), counted)
