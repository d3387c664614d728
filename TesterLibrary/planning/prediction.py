# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Predicts exactly what a tester will send for a job; no tester is needed.

Kinds of testers have a room below this one, whose `prediction.py` registers them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from typing import Protocol as Interface

from ..errors import PlanError
from ..model.job import JobFile
from ..model.plan.plan import Plan, PlannedStream
from ..model.plan.planned_end import PlannedEnd
from ..model.protocol import Protocol
from ..model.stream import Stream
from .compile import compile as compile_job
from .ends import asked_for

_MOST_STREAMS = 0xFFFF
UNKNOWN_MAC = b"\2\0\0\0\2\0"  # stands for a neighbour's address, which cannot be asked for without a network


@dataclass(frozen=True)
class Prediction:
    """The frames of one stream. Rates are frames each second. A clock sends what is planned exactly."""

    stream: Stream
    planned: PlannedStream
    asked: Fraction  # 0 where only the tester knows it

    @property
    def rate(self) -> Fraction:
        """The average rate that will be sent; 0 where only the tester knows it."""
        return self.planned.frames_per_second

    @property
    def error(self) -> Fraction:
        """(rate - asked) / asked."""
        return self.rate / self.asked - 1 if self.rate else Fraction(0)

    @property
    def part(self) -> str:
        """Name of these frames if a tester sends the stream as several; empty if not."""
        return ""

    @property
    def spacing(self) -> str:
        """How the frames are spaced, for people."""
        return str(self.planned.departures.law)

    @property
    def editors(self) -> list[str]:
        """A line for each field that changes, for people."""
        return [str(editor) for editor in self.planned.editors]

    def details(self) -> Mapping[str, object]:
        """The values that space the frames on this kind of tester, by their names in JSON."""
        rate = self.planned.rate
        law: Any = self.planned.departures.law  # a dataclass
        exact = {
            "packets": rate.numerator,
            "nanoseconds": rate.denominator,
            "law": type(law).__name__.lower(),
        }
        return exact | {field.name: getattr(law, field.name) for field in fields(law)}


class ProtocolPlan(Interface):
    """The table of a protocol as data for one kind of tester."""

    def record(self) -> dict[str, Any]:
        """All of it, as it is written to JSON."""

    def summary(self) -> str:
        """A summary for people."""


@dataclass(frozen=True)
class TargetKind:
    """A kind of tester. Both functions raise PlanError for what it cannot do."""

    name: str  # what `--target` calls it
    predict: Callable[[JobFile, Plan], tuple[Prediction, ...]]
    lower: Callable[[Protocol, Mapping[str, int]], ProtocolPlan]
    require: Callable[[Protocol], None] = lambda _: None  # PlanError for a protocol that no job can run there


_kinds: dict[str, TargetKind] = {}


def register(kind: TargetKind) -> None:
    """Makes a kind of tester known."""
    _kinds[kind.name] = kind


@cache
def targets() -> tuple[str, ...]:
    """The names of the kinds of testers; each room below this one has one or more."""
    for room in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if room.ispkg:
            importlib.import_module(f"{__package__}.{room.name}.prediction")
    return tuple(_kinds)


def lower(protocol: Protocol, target: str, parameters: Mapping[str, int] | None = None) -> ProtocolPlan:
    """Lowers a checked protocol for one of `targets()`, with the values that a job sets for its parameters.

    Raises:
        PlanError: naming each resource of the target that is exceeded, by how much, and what to change.
    """
    return _kind(target).lower(protocol, parameters or {})


def require(protocol: Protocol, target: str) -> None:
    """PlanError for a checked protocol that none of this kind of testers can run, whatever a job sets."""
    _kind(target).require(protocol)


def _kind(target: str) -> TargetKind:
    return {name: _kinds[name] for name in targets()}[target]


def predict(file: JobFile, target: str) -> tuple[Prediction, ...]:
    """Plans a job for one of `targets()`.

    Raises:
        PlanError: the first limit that is hit, and the file.
    """
    try:
        return _kind(target).predict(file, planned(file))
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def predict_ends(file: JobFile, target: str) -> tuple[tuple[PlannedEnd, ProtocolPlan], ...]:
    """Responders and clients of a job, with their protocols as the target is given them.

    Raises:
        PlanError: the first limit that is hit, and the file.
    """
    try:
        return tuple((end, lower(end.protocol, target, end.parameters)) for end in planned(file).ends)
    except PlanError as problem:
        raise PlanError(f"{file.source}: {problem}") from None


def planned(file: JobFile) -> Plan:
    """The plan of a job file, before it is one of a kind of tester."""
    asked = [pair for end in file.job.ends for pair in asked_for(end, file.ports)]
    return compile_job(
        file.job,
        ports=file.ports,
        gateways=file.gateways,
        max_streams=_MOST_STREAMS,
        neighbours={(station.port.name, address): UNKNOWN_MAC for station, address in asked},
    )


def asked(file: JobFile, stream: Stream) -> Fraction:
    """Frames each second; 0 where only the tester knows it."""
    if stream.as_captured:
        return Fraction(0)
    return stream.rate.frames_per_second(stream.frame_size.mean, file.ports[stream.tx].speed)
