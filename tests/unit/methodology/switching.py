# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Switches of which all is known: what they lose beside a congested port, and which addresses they learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from TesterLibrary.measurement.addresses import AddressCheck
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.learning_window import LearningWindow
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from tests.counted import stream_counters

from .measured import EVIDENCE

BUSY = "a worker did not run for 90.0 ms (limit 50.0 ms)"
_WINDOW = LearningWindow(Duration(300 * 10**9), Frequency(Fraction(1000)), Duration(400_000_000))
_FRAMES = 10_000  # of a stream that has half of a sender's line


@dataclass
class CongestedSwitch:
    """The first sender alone, or both: the measurer of a switch with four ports.

    `blocked`: part of the frames to the uncongested port that the congestion costs. `alone`: frames of that
    stream that it loses without.
    """

    blocked: Fraction = Fraction(0)
    lost_alone: int = 0
    line: Fraction = Fraction(1)  # that the congested port sends, of what the testbed says
    both: bool = True
    busy: bool = False
    pause_ns: int = 0  # by which frames to the uncongested port left late

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        half = round(_FRAMES * load * duration.ns / 10**9)
        streams = [self._stream(1, "uncongested", half, self._uncongested(half))]
        carried = round(2 * _FRAMES * self.line * duration.ns / 10**9)
        offered = 3 * half if self.both else half
        passed = Fraction(min(carried, offered), offered)
        streams.append(self._stream(2, "half congested", half, half - int(half * (1 - passed))))
        if self.both:
            whole = 2 * half
            streams.append(self._stream(3, "congested", whole, whole - int(whole * (1 - passed))))
        return Trial(load, duration.ns, tuple(streams), EVIDENCE, objections=(BUSY,) if self.busy else ())

    def is_congested(self, load: Fraction, duration: Duration) -> bool:
        """Whether it loses frames to the congested port."""
        trial = self.measure(load, duration)
        return any(stream.order.lost for stream in trial.streams[1:])

    def _uncongested(self, half: int) -> int:
        lost = self.lost_alone + (int(half * self.blocked) if self.both else 0)
        return half - min(half, lost)

    def _stream(self, number: int, name: str, sent: int, received: int) -> StreamResult:
        counted = stream_counters(
            id=number,
            intended_packets=sent,
            tx_packets=sent,
            rx_packets=received,
            worst_lateness_ns=self.pause_ns,
        )
        return StreamResult(name, "p1", "p2", 64, Fraction(sent), counted)


@dataclass
class LearningSwitch:
    """An address table of so many entries, filled at a limited rate: the `AddressMeasurer` of a bridge.

    What comes faster than `rate` is forwarded and not learned. The table keeps what it has learned first
    until the bridge rests for long enough.
    """

    entries: int
    rate: int = 10**9  # addresses each second
    forgets: bool = True  # while it rests
    ageing_ns: int | None = None  # after which it forgets an address; None: never
    sees_flooding: bool = True
    busy: frozenset[int] = frozenset()  # numbers of checks, from 1, in which the tester was disturbed
    deaf: frozenset[int] = frozenset()  # in which frames from addresses were lost
    cold: int = 0  # so many checks from the first on know one address less, as after a pause
    port_addresses: int = 2
    known: set[int] = field(default_factory=set)
    checks: int = 0
    fresh: int = 1 << 32
    window: LearningWindow = _WINDOW

    def floods(self) -> bool:
        return self.sees_flooding

    def check(
        self, addresses: int, rate: Frequency, *, fresh: bool, pause: Duration = Duration(0)
    ) -> AddressCheck:
        self.checks += 1
        first = self.fresh if fresh else 0
        self.fresh += addresses if fresh else 0
        in_time = min(Fraction(1), self.rate / rate.per_second)
        unheard = 1 if self.checks in self.deaf else 0
        for number in range(addresses - unheard):
            # Of every hundred too many the last ones are not learned.
            learned = number * in_time // 1 > (number - 1) * in_time // 1 if number else True
            if learned and len(self.known) + self.port_addresses < self.entries:
                self.known.add(first + number)
        if self.checks <= self.cold:
            self.known.discard(first)
        waits_ns = self.window.gap.ns + pause.ns
        each_ns, probe_ns = 10**9 / rate.per_second, 10**9 / self.window.probe_rate.per_second
        held_ns = int(addresses * each_ns + waits_ns + addresses * probe_ns)
        for number in range(addresses):
            age_ns = (addresses - number) * each_ns + waits_ns + number * probe_ns
            if self.ageing_ns is not None and age_ns > self.ageing_ns:
                self.known.discard(first + number)
        unknown = sum(first + number not in self.known for number in range(addresses))
        return AddressCheck(
            addresses,
            float(rate.per_second),
            unheard,
            2 * unknown if self.sees_flooding else 0,
            0,
            (BUSY,) if self.checks in self.busy else (),
            held_ns=held_ns,
        )

    def rest(self) -> None:
        if self.forgets:
            self.known.clear()
