# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipelines of a fake chip that runs the program of paths: what p4/path_pipeline.p4 does with a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ....planning.switch.chip import pipe_of
from ....planning.switch.inline import TRANSMISSIONS
from ..copies.copy_record import CopyRecord
from ..entries.entry import TableEntry
from ..path.path_entries import DUE, EGRESS, FLOWS, INGRESS, NUMBERED, NUMBERS, PORTS, REPEATED, WATCHES
from .copy import Copy, next_copy
from .crc import crc16, crc32
from .path_frame import PathFrame
from .path_stamps import PathStamps
from .pipelines import Inside, Left, Mirrored, Way
from .store import Cells, Store, number

_SLOTS = ("first", "second", "third", "fourth")
_WORD, _HALF_WORD = 1 << 32, 1 << 31
_MOST_FLOWS = (1 << 16) - 1
_TIME = (1 << 48) - 1
_Packet = PathFrame | Copy
_PACKETS, _OCTETS = "$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES"


@dataclass
class _Passing:
    """A frame on its way, and what has been found out of it."""

    frame: PathFrame
    port: int
    heading: int
    event: int = 0  # that has happened to it, by its number in the switch
    dropped: bool = False

    @property
    def pipe(self) -> int:
        return pipe_of(self.port)

    @property
    def ends(self) -> bytes:
        """Both ends of its flow, the same in both directions."""
        (source, target), (sport, dport) = self.frame.addresses, self.frame.ports
        near, far = (source, sport), (target, dport)
        if self.heading:
            near, far = far, near
        parts = ((near[0], 4), (far[0], 4), (near[1], 2), (far[1], 2), (self.frame.protocol, 1))
        return b"".join(value.to_bytes(size, "big") for value, size in parts)


class PathPipelines:
    """The one pipeline of the program, in each pipe with its own registers."""

    def __init__(self, store: Store) -> None:
        self._store, self._stamps = store, PathStamps(store)

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterator[Way[_Packet] | Mirrored[_Packet]]:
        """See `Pipelines`."""
        frame = PathFrame.parse(octets)
        if frame is None:
            return
        entry = self._store.match(PORTS, port, bool(frame.tcp), bool(frame.udp))
        self._count(f"{INGRESS}.{'ends.received' if entry else 'ignored'}", port, port, frame.size)
        if entry is None:
            return
        frame.arrived_ns = now_ns
        passing = _Passing(frame, port, int(".backward" in str(entry.action)))
        self._treat(passing)
        series = number(entry, "series")
        if series:
            self._count(DUE, port, port)
            copy = next_copy(self._store, NUMBERS, passing.pipe, series)
            record = CopyRecord(series, passing.heading, passing.event, copy, now_ns & _TIME, octets)
            yield Mirrored(Copy(record), number(entry, "session"))
        if not passing.dropped:
            yield Way(frame, number(entry, "port"))

    def egress(self, packet: _Packet, port: int, now_ns: int) -> Left[_Packet]:
        """See `Pipelines`."""
        if isinstance(packet, Copy):
            self._count(f"{EGRESS}.forwarded", port, port, packet.size)
            return Left(packet.carried(self._store, EGRESS, port))
        self._count(f"{EGRESS}.forwarded", port, port, packet.size_within)
        self._stamps.leave(packet, port, now_ns)
        return Left(bytes(packet.octets))

    def inside(self, packet: _Packet, port: int, now_ns: int) -> Inside[_Packet]:  # noqa: ARG002
        """See `Pipelines`. No port loops."""
        raise AssertionError(f"port {port} loops")

    def changed(self, tables: Iterable[str]) -> None:
        """See `Pipelines`. The store tells it."""

    def _treat(self, passing: _Passing) -> None:
        """Numbers a frame, and has happen to it what is to."""
        frame = passing.frame
        flow = self._flow(passing)
        followed = self._store.match(FLOWS, flow, passing.heading, bool(frame.length))
        place, tally = (number(followed, name) for name in ("own", "counted")) if followed else (0, 0)
        sequenced = bool(followed and frame.tcp and frame.sequence_numbers)
        brings = bool(followed) and (not sequenced or self._advance(passing, place))
        packet = self._next(f"{INGRESS}.progress.numbers", passing.pipe, tally, _WORD - 1) if brings else 0
        repeats = bool(followed) and packet == 0
        entry = self._store.match(NUMBERED, tally, packet, passing.heading, bool(frame.payload))
        self._happen(entry, passing)
        times = [
            self._transmission(slot, passing, place, entry if sequenced else None, repeats=repeats)
            for slot in _SLOTS
        ]
        if repeats:
            self._happen(self._store.match(REPEATED, place, *times, bool(frame.payload)), passing)

    def _happen(self, entry: TableEntry | None, passing: _Passing) -> None:
        verb = str(entry.action).rpartition(".")[2] if entry else "pass"
        if entry and "happens" in entry.data:
            passing.event = number(entry, "happens")
        if verb == "drop":
            passing.dropped = True
        elif verb == "mark":
            passing.frame.mark()
        elif entry is not None and verb == "corrupt":
            passing.frame.corrupt(number(entry, "mask"))

    def _flow(self, passing: _Passing) -> int:
        """The number of its flow; 0: it has none, or no event looks at it."""
        frame, pipe = passing.frame, passing.pipe
        if not self._watched(frame, passing.port):
            self._count(f"{INGRESS}.flows.unmatched", passing.port, passing.port)
            return 0
        if not frame.transport:
            return 0
        ends = passing.ends
        at, check = (pipe, crc16(ends)), crc32(ends)
        appeared, numbers, owners, openings = (
            self._cells(f"{INGRESS}.flows.{name}") for name in ("appeared", "numbers", "owners", "openings")
        )
        reopened = False
        if not appeared.get(at):
            appeared[at] = 1
            numbers[at] = self._next(f"{INGRESS}.flows.flows", pipe, 0, _MOST_FLOWS)
            owners[at] = check
        else:
            reopened = frame.opens and openings.get(at, 0) != frame.sequence
            if owners.get(at, 0) != check or reopened:
                self._count(f"{INGRESS}.flows.unnumbered", passing.port, 0)
        if frame.opens:
            openings[at] = frame.sequence
        return numbers[at]

    def _watched(self, frame: PathFrame, port: int) -> bool:
        tcp, udp = frame.ports if frame.tcp else (0, 0), frame.ports if frame.udp else (0, 0)
        key = (
            port,
            frame.vlan is not None,
            frame.vlan or 0,
            bool(frame.ip),
            *frame.addresses,
            frame.protocol,
            bool(frame.tcp),
            bool(frame.udp),
            *tcp,
            *udp,
        )
        return self._store.match(WATCHES, *key) is not None

    def _advance(self, passing: _Passing, place: int) -> bool:
        """Whether a segment brings new sequence numbers."""
        ends, begun = (self._cells(f"{INGRESS}.progress.progress", part) for part in ("end", "begun"))
        at, frame = (passing.pipe, place), passing.frame
        end = (frame.sequence + frame.sequence_numbers) % _WORD
        ahead = (end - ends.get(at, 0)) % _WORD
        brings = not begun.get(at) or 0 < ahead < _HALF_WORD
        if brings:
            ends[at] = end
        begun[at] = 1
        return brings

    def _transmission(
        self, slot: str, passing: _Passing, place: int, begins: TableEntry | None, *, repeats: bool
    ) -> int:
        """The number of a transmission of the packet in a slot; 0: it is none."""
        table = f"{INGRESS}.{slot}.transmissions"
        sequences, times = (self._cells(table, part) for part in ("sequence", "times"))
        at, sequence = (passing.pipe, place), passing.frame.sequence
        if begins is not None and number(begins, slot):
            sequences[at], times[at] = sequence, 1
            return 0
        count = times.get(at, 0)
        if not repeats or sequences.get(at, 0) != sequence or count == TRANSMISSIONS:
            return 0
        times[at] = count + 1
        return count + 1

    def _next(self, register: str, pipe: int, index: int, most: int) -> int:
        cells = self._cells(register)
        cells[pipe, index] = min(cells.get((pipe, index), 0) + 1, most)
        return cells[pipe, index]

    def _cells(self, table: str, part: str = "f1") -> Cells:
        return self._store.cells(table, f"{table.partition('.')[2]}.{part}")

    def _count(self, table: str, port: int, index: int, size: int | None = None) -> None:
        for field, more in ((_PACKETS, 1), (_OCTETS, size)):
            if more is not None:
                cells, place = self._store.cells(table, field), (pipe_of(port), index)
                cells[place] = cells.get(place, 0) + more
