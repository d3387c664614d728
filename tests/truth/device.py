# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device, frame by frame, with a log of all that it did. All times are whole nanoseconds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

START_NS = 1_000_000_000  # the first departure, on the tester's clock


@dataclass(frozen=True)
class Arrival:
    """One frame, or a copy of it, at a port of the tester."""

    time_ns: int
    sequence: int
    expected: bool = True  # on the port where it belongs
    damaged: bool = False


@dataclass(frozen=True)
class Device:
    """A simulated device: its effect on the frames of one stream."""

    frames: int
    gap_ns: int
    base_ns: int = 10_000
    jitter_ns: int = 0
    service_ns: int = 0  # of each frame, in a queue
    queue: int = 0  # frames that it holds; more are dropped
    loss: float = 0.0
    lose_every: int = 0
    outage: tuple[int, int] = (0, 0)  # first frame, and how many
    warm_up: int = 0  # frames at the start that are dropped
    duplicate: float = 0.0
    copy_ns: int = 0  # how much later the copy comes
    hold: float = 0.0
    hold_ns: int = 0
    corrupt: float = 0.0
    misroute: float = 0.0
    hiccup: tuple[int, int] = (0, 0)  # from when on, and for how long, it forwards nothing and loses nothing
    seed: int = 0

    def log(self) -> Log:
        """Runs it."""
        draw = random.Random(self.seed)
        arrivals: list[Arrival] = []
        free_ns = 0
        for sequence in range(self.frames):
            now = START_NS + sequence * self.gap_ns
            if self._drops(sequence, draw):
                continue
            out = now + self.base_ns + (draw.randrange(self.jitter_ns) if self.jitter_ns else 0)
            if self.service_ns:
                if max(0, free_ns - now) > self.queue * self.service_ns:
                    continue
                free_ns = max(free_ns, now) + self.service_ns
                out += free_ns - now
            begin = START_NS + self.hiccup[0]
            if begin <= out < begin + self.hiccup[1]:
                out = begin + self.hiccup[1]
            if draw.random() < self.hold:
                out += self.hold_ns
            arrival = Arrival(out, sequence, draw.random() >= self.misroute, draw.random() < self.corrupt)
            arrivals.append(arrival)
            if draw.random() < self.duplicate:
                arrivals.append(Arrival(out + self.copy_ns, sequence, arrival.expected))
        return Log(self, tuple(sorted(arrivals, key=lambda a: a.time_ns)))

    def _drops(self, sequence: int, draw: random.Random) -> bool:
        first, count = self.outage
        return (
            sequence < self.warm_up
            or first <= sequence < first + count
            or (self.lose_every > 0 and sequence % self.lose_every == self.lose_every - 1)
            or draw.random() < self.loss
        )


@dataclass(frozen=True)
class Log:
    """The arrivals behind a device. The truth is read from here, and nowhere else."""

    device: Device
    arrivals: tuple[Arrival, ...]
    taken: frozenset[int] = field(default_factory=frozenset)  # places of arrivals that the tester itself lost

    @property
    def sent(self) -> int:
        return self.device.frames

    @property
    def whole(self) -> list[Arrival]:
        """Frames and copies that arrived where they belong as they were sent."""
        return [a for a in self.arrivals if a.expected and not a.damaged]

    @property
    def counted(self) -> list[Arrival]:
        """Arrivals that the tester did not lose itself."""
        each = (a for place, a in enumerate(self.arrivals) if place not in self.taken)
        return [a for a in each if a.expected and not a.damaged]

    @property
    def firsts(self) -> list[Arrival]:
        """Each frame once: its first arrival."""
        first: dict[int, Arrival] = {}
        for arrival in self.whole:
            first.setdefault(arrival.sequence, arrival)
        return list(first.values())

    @property
    def lost(self) -> int:
        return self.sent - len(self.firsts)

    @property
    def duplicated(self) -> int:
        return len(self.whole) - len(self.firsts)

    @property
    def reordered(self) -> int:
        """RFC 4737 §3.3: of first arrivals, those after one with a higher sequence."""
        highest, count = -1, 0
        for arrival in self.firsts:
            count += arrival.sequence < highest
            highest = max(highest, arrival.sequence)
        return count

    @property
    def corrupted(self) -> int:
        return sum(a.expected and a.damaged for a in self.arrivals)

    @property
    def misrouted(self) -> int:
        return sum(not a.expected for a in self.arrivals)

    def departure_ns(self, sequence: int) -> int:
        return START_NS + sequence * self.device.gap_ns

    @property
    def first_latencies(self) -> list[int]:
        """Latencies of the frames that arrived, each once, in ascending order."""
        return sorted(a.time_ns - self.departure_ns(a.sequence) for a in self.firsts)

    @property
    def latencies(self) -> list[int]:
        """Latencies of every frame and copy that arrived, in ascending order."""
        return sorted(a.time_ns - self.departure_ns(a.sequence) for a in self.whole)

    @property
    def mean_ns(self) -> Fraction:
        """The mean delay of the frames that arrived, each once."""
        firsts = self.firsts
        return Fraction(sum(a.time_ns - self.departure_ns(a.sequence) for a in firsts), len(firsts))

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Each run of frames in a row that never arrived: the first one, and how many."""
        arrived = {a.sequence for a in self.firsts}
        runs: list[tuple[int, int]] = []
        for sequence in range(self.sent):
            if sequence in arrived:
                continue
            if runs and sum(runs[-1]) == sequence:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((sequence, 1))
        return runs

    def percentile(self, percent: str) -> int:
        """Nearest rank, in exact arithmetic."""
        each = self.latencies
        return each[ceil(len(each) * Fraction(percent) / 100) - 1]


_DEFECTS = (
    "loss",
    "every",
    "outage",
    "warm_up",
    "duplicate",
    "hold",
    "misroute",
    "hiccup",
    "queue",
    "corrupt",
)


def random_device(draw: random.Random, *, damages: bool = True) -> Device:
    """One with none to four defects. `damages`: the content of frames, too."""
    frames, gap = draw.randint(40, 400), draw.choice([1_000, 50_000, 1_000_000])
    wish: dict[str, object] = {"base_ns": draw.randint(500, 3 * gap), "jitter_ns": draw.randrange(gap)}
    for defect in draw.sample(_DEFECTS, draw.choice([0, 1, 1, 2, 2, 3, 4])):
        if defect == "loss":
            wish["loss"] = draw.choice([0.003, 0.03, 0.3, 1.0 if draw.random() < 0.2 else 0.1])
        elif defect == "every":
            wish["lose_every"] = draw.randint(2, frames)
        elif defect == "outage":
            wish["outage"] = (draw.randrange(frames), draw.randint(1, frames // 2))
        elif defect == "warm_up":
            wish["warm_up"] = draw.randint(1, frames // 4)
        elif defect == "duplicate":
            wish["duplicate"] = draw.choice([0.01, 0.1, 1.0])
            wish["copy_ns"] = draw.choice([0, gap // 2, draw.randrange(20 * gap)])
        elif defect == "hold":
            wish["hold"], wish["hold_ns"] = draw.choice([0.01, 0.1, 0.5]), draw.randint(gap, 30 * gap)
        elif defect == "misroute":
            wish["misroute"] = draw.choice([0.02, 0.2])
        elif defect == "hiccup":
            wish["hiccup"] = (draw.randrange(frames * gap), draw.randint(gap, 40 * gap))
        elif defect == "queue":
            wish["service_ns"] = draw.randint(gap // 2, 2 * gap)
            wish["queue"] = draw.randint(1, 60)
        elif damages:
            wish["corrupt"] = draw.choice([0.01, 0.1])
    return Device(frames, gap, seed=draw.getrandbits(32), **wish)  # type: ignore[arg-type]
