# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A path in a switch: which of its packets are followed, and the entries that make its events happen.

The program (p4/path_pipeline.p4) numbers flows, and follows directions of flows that events are about, each
in a *place*. A *tally* counts the packets of one direction, or of both. Up to four packets of a place are
known again when they are sent again, each in a *slot*.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...errors import PlanError
from ...model.heading import Heading
from ...model.inline import ChecksumPolicy, Corrupt, Drop, Mark, Part
from ...model.plan.planned_path import PlannedEvent, PlannedPath
from ..inline import ROCE_PORT
from .resources import Excess
from .watch import Watch, watch_of

# Sizes of the program's tables (p4/include/path_sizes.p4).
PATHS = 85  # of 512 entries for ports, each path has six
FOLLOWED = 1024
FOLLOWED_FLOWS = 2048
EVENTS = 4096
TRANSMISSIONS = 255
SLOTS = 4
MOST_FLOWS = 65_534  # the next number is that of all later flows
MOST_NUMBER = (1 << 32) - 1
REACHED_BITS = 32  # of a payload

_DIRECTIONS = {Heading.FORWARD: (0,), Heading.BACKWARD: (1,), Heading.BOTH: (0, 1)}
_TESTERD = "use a testerd"


@dataclass(frozen=True)
class FollowedFlow:
    """Packets of a direction of a flow, with payload or without, that are followed."""

    flow: int
    direction: int  # 0: forward
    data: int  # 1: with payload
    place: int
    tally: int


@dataclass(frozen=True)
class SelectedPacket:
    """One transmission of a numbered packet in one direction, and the event that is to happen to it."""

    event: int | None  # index in the path; None: only followed from here on
    place: int
    tally: int
    direction: int
    number: int
    iteration: int
    slot: int  # from 1; 0: it is not known again
    has_payload: bool  # as far as the program reaches

    @property
    def is_first(self) -> bool:
        """Whether it is selected by its number; later transmissions are known by their sequence number."""
        return self.iteration == 1


@dataclass(frozen=True)
class SwitchPath:
    """A path as the program of a switch has it."""

    planned: PlannedPath
    watch: Watch | None  # None: it has no events
    followed: tuple[FollowedFlow, ...] = ()
    packets: tuple[SelectedPacket, ...] = ()

    def capacity(self) -> tuple[Excess, ...]:
        """The entries of the program's tables that it takes."""
        first = sum(packet.is_first for packet in self.packets)
        places = len({flow.place for flow in self.followed})
        fewer = "describe fewer events, or split them over several runs"
        later = len(self.packets) - first
        return (
            Excess("followed directions of flows", places, FOLLOWED, "one for each that has events", fewer),
            Excess("entries of flows", len(self.followed), FOLLOWED_FLOWS, "with payload, without", fewer),
            Excess("entries of first transmissions", first, EVENTS, "two for each and direction", fewer),
            Excess("entries of later transmissions", later, EVENTS, "two for each and direction", fewer),
        )


@dataclass(frozen=True)
class _Series:
    """Packets that are numbered together: of a flow, in a direction or both, all or those with payload."""

    flow: int
    heading: Heading
    data_only: bool

    @property
    def keys(self) -> Iterator[tuple[int, int]]:
        """Directions, and whether with payload."""
        for direction in _DIRECTIONS[self.heading]:
            yield from ((direction, data) for data in ((1,) if self.data_only else (0, 1)))

    def __str__(self) -> str:
        heading = "" if self.heading is Heading.BOTH else f" {self.heading.name.lower()}"
        return f"{'data packets' if self.data_only else 'packets'} of flow {self.flow}{heading}"


def switch_path(path: PlannedPath) -> SwitchPath:
    """A path in a switch.

    Raises:
        PlanError: an event or an impairment that the program has not, or a resource that runs out.
    """
    if path.beside:
        raise _refused(
            path,
            f"ports {', '.join(path.beside)} beside {path.first_port!r}: a switch learns no addresses, by "
            f"which frames would find their way back to one of them; make a path for each, or {_TESTERD}",
        )
    for impairment in path.impairments:
        raise _refused(
            path,
            f"a switch holds no packets, so it impairs none of direction {impairment.heading.name.lower()}; "
            f"leave Impair Path out, or {_TESTERD}",
        )
    for event in path.events:
        _check(path, event, _unfit(event))
    if not path.events:
        return SwitchPath(path, None)
    if len(path.watches) > 1:
        raise _refused(
            path,
            f"its events look at {len(path.watches)} different headers, and a switch numbers the flows of 1; "
            f"give all events equal headers, or {_TESTERD}",
        )
    try:
        watch = watch_of(path.watches[0])
    except PlanError as problem:
        raise _refused(path, f"event {path.events[0].name!r}: {problem}") from None
    for event in path.events:
        _check(path, event, _unknown_again(event, watch))
    places = _Places(path)
    found = SwitchPath(path, watch, places.followed, tuple(_packets(places)))
    lacking = [str(excess) for excess in found.capacity() if excess.needed > excess.available]
    if lacking:
        raise _refused(path, "; ".join(lacking))
    return found


def _refused(path: PlannedPath, why: str) -> PlanError:
    return PlanError(f"path {path.name!r}: {why}")


def _check(path: PlannedPath, event: PlannedEvent, objections: Iterator[str]) -> None:
    for why in objections:
        raise _refused(path, f"event {event.name!r}: {why}")


def _selection(event: PlannedEvent) -> str:
    if event.carried:
        return "a byte" if event.carried.from_start else "a sequence number"
    return "a pattern" if event.pattern else "a ratio"


def _unfit(event: PlannedEvent) -> Iterator[str]:
    """Reasons why a switch cannot have an event."""
    action = event.action
    if not isinstance(action, Drop | Mark | Corrupt):
        kind = re.sub(r"\B([A-Z])", r" \1", type(action).__name__.removeprefix("Planned")).lower()
        yield f"a switch drops, marks and corrupts single packets, and has no {kind}; {_TESTERD}"
    if not event.number:
        given = f"every={event.every}" if event.every else _selection(event)
        yield f"a switch selects packets by their number, not by {given}; give number, or {_TESTERD}"
    if not event.flow:
        yield f"a switch numbers the packets of each flow, not of all together; give flow, or {_TESTERD}"
    for what, number, most in (
        ("flow", event.flow, MOST_FLOWS),
        ("number", event.number, MOST_NUMBER),
        ("iteration", event.iteration, TRANSMISSIONS),
    ):
        if number > most:
            yield f"a switch counts up to {what}={most:,}, and {what} is {number:,}; {_TESTERD}"
    if isinstance(action, Corrupt):
        if action.part is not Part.PAYLOAD or action.bit >= REACHED_BITS:
            yield (
                f"a switch inverts bits 0 to {REACHED_BITS - 1} of a payload, not bit {action.bit} of "
                f"{action.part.name.lower()}; give bit=0 and part=payload, or {_TESTERD}"
            )
        if action.checksum is ChecksumPolicy.REPAIR:
            yield f"a switch keeps the checksum of what it corrupts; give checksum=keep, or {_TESTERD}"


def _unknown_again(event: PlannedEvent, watch: Watch) -> Iterator[str]:
    """Reasons why a switch takes other packets than those that are meant: it reads no header behind UDP."""
    if "tcp_valid" in watch:
        return
    if event.iteration > 1:
        yield (
            f"a switch knows a packet of TCP again when it is sent again, and none of UDP or RoCEv2, so "
            f"iteration={event.iteration} never comes; give iteration=1, or {_TESTERD}"
        )
    if event.data_only and watch.get("udp_dport", (0, 0))[0] == ROCE_PORT:
        yield (
            "a switch takes acknowledgements of RoCEv2 for data packets, as they are payload of UDP; leave "
            f"data_only out, or {_TESTERD}"
        )


class _Places:
    """The place and the tally of each direction of a flow, and the slots of packets that are sent again."""

    def __init__(self, path: PlannedPath) -> None:
        self._path = path
        self._taken: dict[tuple[int, int, int], _Series] = {}
        self._places: dict[tuple[_Series, int], int] = {}
        self._slots: dict[_Series, dict[int, int]] = defaultdict(dict)
        self._series = list(map(_series_of, path.events))
        for event, series in zip(path.events, self._series, strict=True):
            self._follow(series)
            if event.iteration > 1:
                self._know_again(series, event)

    @property
    def followed(self) -> tuple[FollowedFlow, ...]:
        """All packets that are followed."""
        return tuple(
            FollowedFlow(series.flow, direction, data, self.place(series, direction), self.tally(series))
            for series in dict.fromkeys(self._series)
            for direction, data in series.keys
        )

    def by_packet(self) -> Iterator[tuple[_Series, int, dict[int, int]]]:
        """Each numbered packet that events are about: its events by their iteration."""
        found: dict[tuple[_Series, int], dict[int, int]] = defaultdict(dict)
        for index, (event, series) in enumerate(zip(self._path.events, self._series, strict=True)):
            other = found[series, event.number].setdefault(event.iteration, index)
            if other != index:
                raise _refused(
                    self._path,
                    f"events {self._path.events[other].name!r} and {event.name!r} are about the same "
                    f"transmission, and a switch does one thing to it; leave one of them out, or {_TESTERD}",
                )
        return ((series, number, events) for (series, number), events in found.items())

    def place(self, series: _Series, direction: int) -> int:
        """The place of a direction."""
        return self._places[series, direction]

    def tally(self, series: _Series) -> int:
        """The tally, by the place of its first direction."""
        return self.place(series, _DIRECTIONS[series.heading][0])

    def slot(self, series: _Series, number: int) -> int:
        """The slot of a packet; 0 if it is not known again."""
        return self._slots[series].get(number, 0)

    def _follow(self, series: _Series) -> None:
        for direction, data in series.keys:
            other = self._taken.setdefault((series.flow, direction, data), series)
            if other != series:
                raise _refused(
                    self._path,
                    f"events are about {other} and about {series}, and a switch counts each packet once; "
                    f"give them the same direction and data_only, or {_TESTERD}",
                )
        for direction in _DIRECTIONS[series.heading]:
            self._places.setdefault((series, direction), len(self._places))

    def _know_again(self, series: _Series, event: PlannedEvent) -> None:
        slots = self._slots[series]
        slots.setdefault(event.number, len(slots) + 1)
        if len(slots) > SLOTS:
            raise _refused(
                self._path,
                f"event {event.name!r}: of {series} {SLOTS} are known again when they are sent again, and "
                f"this is one more; give iteration=1, or {_TESTERD}",
            )


def _series_of(event: PlannedEvent) -> _Series:
    return _Series(event.flow, event.heading, event.data_only)


def _packets(places: _Places) -> Iterator[SelectedPacket]:
    """The selected transmissions, each with payload and without."""
    for series, number, events in places.by_packet():
        slot = places.slot(series, number)
        wanted: dict[int, int | None] = {**({1: None} if slot else {}), **events}
        for direction in _DIRECTIONS[series.heading]:
            for iteration, event in wanted.items():
                for has_payload in (False, True):
                    yield SelectedPacket(
                        event,
                        places.place(series, direction),
                        places.tally(series),
                        direction,
                        number,
                        iteration,
                        slot,
                        has_payload,
                    )


def check_ports(path: SwitchPath, pipes: Sequence[int]) -> None:
    """PlanError for events on a path whose ports belong to different pipelines, which count on their own."""
    if path.watch is not None and len(set(pipes)) > 1:
        ports = ", ".join(
            f"{port!r} of pipeline {pipe}"
            for port, pipe in zip((path.planned.first_port, path.planned.second_port), pipes, strict=True)
        )
        raise _refused(
            path.planned,
            "its events need both ports in one pipeline of the switch, which numbers flows; they are "
            f"{ports}; take two ports of one, or leave the events out",
        )


def check_beside(path: SwitchPath, others: Iterable[SwitchPath]) -> None:
    """PlanError for a path that cannot be loaded beside others: on their ports, or with events as well."""
    planned = path.planned
    for other in (each.planned for each in others):
        for port in (planned.first_port, planned.second_port):
            if port in (other.first_port, other.second_port):
                raise _refused(
                    planned,
                    f"port {port!r} belongs to path {other.name!r}; stop that one, or take another port",
                )
        if planned.events and other.events:
            raise _refused(
                planned,
                f"path {other.name!r} has events already, and a switch numbers the flows of one path; leave "
                "the events of one of them out, or stop it first",
            )
