# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device with a planted condition, frame by frame, and the traffic that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from TesterLibrary.methodology.diagnosis import (
    FRAME_SIZE,
    Experiment,
    ExperimentOutcome,
    Factor,
    FailingTraffic,
    FrameKind,
    KindCounts,
    RepeatedTraffic,
    TrafficStream,
)

SIZES = Factor(FRAME_SIZE, range(64, 1519))
PORTS = Factor("UDP.dport", range(1, 65536), str)
TOS = Factor("IP.tos", range(256), str)
RATE = 10_000  # frames/s of the failing traffic


def kind(size: int = 512, dport: int = 53, tos: int = 0, stream: str = "north") -> FrameKind:
    return FrameKind(stream, ((FRAME_SIZE, size), ("UDP.dport", dport), ("IP.tos", tos)))


def stream(*period: FrameKind, name: str = "north", tx: str = "p1", rx: str = "p2") -> TrafficStream:
    return TrafficStream(name, tx, rx, (SIZES, PORTS, TOS), period, repeats=True)


MIXED = FailingTraffic(
    (stream(*(kind(size, dport) for size in (64, 570, 1100, 1518) for dport in range(1000, 1008))),)
)
BOTH_WAYS = FailingTraffic(
    (stream(kind()), stream(kind(stream="south"), name="south", tx="p2", rx="p1")),
)


@dataclass
class Frame:
    """A frame as a device sees it."""

    kind: FrameKind
    number: int  # of all frames that the device saw, from 0
    at_ns: int
    after_pause: int  # its place after the last pause of half a second, from 0
    gap_ns: int  # to the frame before; 0: none


@dataclass
class PlantedDevice:
    """An `ExperimentMeasurer` whose device loses frames for which `loses` holds."""

    loses: Callable[[Frame], bool]
    traffic: FailingTraffic = MIXED
    short: Callable[[int], str] = lambda _: ""  # objection of the experiment of that number
    positions: bool = True
    most_kinds: int = 32
    frames_per_second: Fraction = Fraction(RATE)
    asked: list[Experiment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._now_ns, self._seen, self._place, self._last_ns = 10**9, 0, 0, -(10**9)
        self._runs = 0

    def now_ns(self) -> int:
        return self._now_ns

    def _passes(self, frame_kind: FrameKind) -> bool:
        gap = self._now_ns - self._last_ns
        self._place = 0 if gap > 5 * 10**8 else self._place + 1
        frame = Frame(frame_kind, self._seen, self._now_ns, self._place, gap)
        self._seen += 1
        self._last_ns = self._now_ns
        return not self.loses(frame)

    def repeat(self) -> RepeatedTraffic:
        self._now_ns += 10**9
        self._runs += 1
        streams, lost = self.traffic.streams, {each.name: 0 for each in self.traffic.streams}
        frames = int(self.frames_per_second) // len(streams)
        for number in range(frames):
            for each in streams:
                lost[each.name] += not self._passes(each.period[number % len(each.period)])
                self._now_ns += int(10**9 / self.frames_per_second)
        counts = {name: KindCounts(frames, count) for name, count in lost.items()}
        return RepeatedTraffic(counts, None, self.short(self._runs))

    def run(self, experiment: Experiment) -> ExperimentOutcome:
        self.asked.append(experiment)
        self._runs += 1
        self._now_ns += 10**9 if experiment.after_pause else 10**7
        total = sum(experiment.frames.values())
        gap = 100 if experiment.burst else int(10**9 / (self.frames_per_second * experiment.load))
        order = sorted(
            (Fraction(n, count), k) for k, count in experiment.frames.items() for n in range(count)
        )
        lost: dict[FrameKind, list[int]] = {k: [] for k in experiment.frames}
        sent: dict[FrameKind, int] = dict.fromkeys(experiment.frames, 0)
        assert len(order) == total
        for _, k in order:
            if not self._passes(k):
                lost[k].append(sent[k])
            sent[k] += 1
            self._now_ns += gap
        counts, objection = self._counts(sent, lost), self.short(self._runs)
        return ExperimentOutcome(experiment, counts, None, objection, Fraction(10**9, gap))

    def _counts(
        self, sent: Mapping[FrameKind, int], lost: Mapping[FrameKind, list[int]]
    ) -> dict[FrameKind, KindCounts]:
        return {
            k: KindCounts(sent[k], len(lost[k]), max(lost[k], default=None) if self.positions else None)
            for k in sent
        }
