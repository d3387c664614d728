# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the counters of the program of paths into figures of paths and ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....measurement.snapshot import PathCounters, PathDirectionCounters, PathEventCounters, PortCounters
from ....model.heading import Heading
from ....model.inline import Drop
from ....model.plan.planned_path import PlannedEvent
from ..session.session import SwitchSession
from ..session.switch import Asked, Reading, number_of
from .path_entries import EGRESS, INGRESS, LoadedPath

BRIDGED = 7  # bytes of the header between the gresses, which the egress counts (p4/include/path_headers.p4)
_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"
_RECEIVED, _IGNORED = f"{INGRESS}.ends.received", f"{INGRESS}.ignored"
_UNMATCHED, _UNNUMBERED = f"{INGRESS}.flows.unmatched", f"{INGRESS}.flows.unnumbered"
_FORWARDED = f"{EGRESS}.forwarded"
_FLOWS = f"{INGRESS}.flows.flows"
_DIRECTIONS = {Heading.FORWARD: (0,), Heading.BACKWARD: (1,), Heading.BOTH: (0, 1)}


@dataclass(frozen=True)
class PathSeen:
    """The counters of a path in the switch; those of ports go on for ever, all others since its start."""

    received: tuple[int, int]  # by direction
    unmatched: tuple[int, int]
    unnumbered: int
    forwarded: tuple[int, int]
    forwarded_bytes: tuple[int, int]
    flows: int = 0
    seen: Counter[tuple[int, int, int]] = field(default_factory=Counter)  # by flow, direction and payload
    fired: Counter[tuple[int, int]] = field(default_factory=Counter)  # by event and direction
    missed: Counter[int] = field(default_factory=Counter)  # by event


def read_path(session: SwitchSession, path: LoadedPath) -> PathSeen:
    """The counters of a path. What arrived is read first, and so no less of it left while frames pass."""
    received = _at(session, _RECEIVED, path.ports, _PACKETS)
    seen: Counter[tuple[int, int, int]] = Counter()
    fired: Counter[tuple[int, int]] = Counter()
    missed: Counter[int] = Counter()
    flows, packets = path.flows, path.packets
    asked = [Asked(entry.table, entry.key) for entry in path.counted]
    counts = [number_of(reading, _PACKETS) for reading in session.read(asked)]
    for counted, count in zip(flows, counts[: len(flows)], strict=True):
        seen[counted.flow.flow, counted.flow.direction, counted.flow.data] += count
    for selected, count in zip(packets, counts[len(flows) :], strict=True):
        event = selected.packet.event
        if event is None:
            continue
        if selected.happens:
            fired[event, selected.packet.direction] += count
        else:
            missed[event] += count
    numbered = session.read([Asked(_FLOWS, {"$REGISTER_INDEX": 0})])[0] if path.path.watch else {}
    out = path.ports[::-1]
    return PathSeen(
        received=received,
        unmatched=_at(session, _UNMATCHED, path.ports, _PACKETS),
        unnumbered=_at(session, _UNNUMBERED, (0, 0), _PACKETS)[0],
        forwarded=_at(session, _FORWARDED, out, _PACKETS),
        forwarded_bytes=_at(session, _FORWARDED, out, _OCTETS),  # with those between ingress and egress
        flows=max((_largest(value) for value in numbered.values()), default=0),
        seen=seen,
        fired=fired,
        missed=missed,
    )


def path_counters(
    job: str, path: LoadedPath, begin: PathSeen, now: PathSeen, *, forwarding: bool
) -> PathCounters:
    """The counters of a path since its start."""
    planned = path.path.planned
    has_events = path.path.watch is not None
    directions = tuple(_direction(path, direction, begin, now) for direction in (0, 1))
    asked = max((event.flow for event in planned.events), default=0)
    return PathCounters(
        job=job,
        name=planned.name,
        forwarding=forwarding,
        directions=directions,
        events=tuple(_event(index, event, now) for index, event in enumerate(planned.events)),
        flows=min(now.flows, asked),
        untracked=now.unnumbered - begin.unnumbered if has_events else 0,
    )


def _direction(path: LoadedPath, direction: int, begin: PathSeen, now: PathSeen) -> PathDirectionCounters:
    planned = path.path.planned
    received = now.received[direction] - begin.received[direction]
    forwarded = now.forwarded[direction] - begin.forwarded[direction]
    drops = [index for index, event in enumerate(planned.events) if isinstance(event.action, Drop)]
    dropped = sum(now.fired[event, direction] for event in drops)
    octets = now.forwarded_bytes[direction] - begin.forwarded_bytes[direction]
    unmatched = now.unmatched[direction] - begin.unmatched[direction]
    return PathDirectionCounters(
        port=(planned.first_port, planned.second_port)[direction],
        received=received,
        forwarded=forwarded,
        forwarded_bytes=octets - BRIDGED * forwarded,
        dropped=dropped,
        unmatched=unmatched if planned.events else 0,
        lost=max(0, received - dropped - forwarded),
    )


def _event(index: int, event: PlannedEvent, now: PathSeen) -> PathEventCounters:
    return PathEventCounters(
        name=event.name,
        matched=sum(
            now.seen[event.flow, direction, data]
            for direction in _DIRECTIONS[event.heading]
            for data in ((1,) if event.data_only else (0, 1))
        ),
        fired=sum(now.fired[index, direction] for direction in (0, 1)),
        missed=now.missed[index],
    )


def read_ports(session: SwitchSession) -> tuple[PortCounters, ...]:
    """The counters of all ports since the program runs. All that arrives is of no stream."""
    numbers = tuple(session.numbers.values())
    taken, ignored, sent = (_readings(session, table, numbers) for table in (_RECEIVED, _IGNORED, _FORWARDED))
    return tuple(
        PortCounters(
            name=name,
            tx_packets=number_of(sent[place], _PACKETS),
            tx_bytes=number_of(sent[place], _OCTETS) - BRIDGED * number_of(sent[place], _PACKETS),
            rx_packets=number_of(taken[place], _PACKETS) + number_of(ignored[place], _PACKETS),
            rx_bytes=number_of(taken[place], _OCTETS) + number_of(ignored[place], _OCTETS),
            rx_foreign=number_of(taken[place], _PACKETS) + number_of(ignored[place], _PACKETS),
        )
        for place, name in enumerate(session.numbers)
    )


def packets_at(session: SwitchSession, table: str, ports: tuple[int, int]) -> tuple[int, int]:
    """The packets that a counter has at both ports."""
    return _at(session, table, ports, _PACKETS)


def _at(session: SwitchSession, table: str, ports: tuple[int, int], what: str) -> tuple[int, int]:
    first, second = (number_of(reading, what) for reading in _readings(session, table, ports))
    return first, second


def _readings(session: SwitchSession, table: str, indices: Sequence[int]) -> list[Reading]:
    return session.read([Asked(table, {"$COUNTER_INDEX": index}) for index in indices])


def _largest(value: object) -> int:
    """A register has a value for each pipe; one pipe counts."""
    return max(map(int, value)) if isinstance(value, list | tuple) else int(str(value))
