# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps in the egress of a fake chip: what p4/controls/path_stamps.p4 does with a frame."""

from __future__ import annotations

from ....planning.switch.chip import pipe_of
from ..entries.entry import TableEntry
from ..entries.latency import OTHERS
from ..path.stamp_entries import (
    BUCKETS,
    DELAY_SUM,
    EXTREMES,
    FATES,
    HISTOGRAM,
    NEWEST,
    SPANS,
    STAMP_PORTS,
    STAMP_WATCHES,
    Fate,
)
from .path_frame import PathFrame
from .stamp_frame import StampFrame
from .store import Cells, Store, first, number

_HALF, _WORD, _TIME = 1 << 16, 1 << 32, 1 << 48
_MOST_SPANS = 15  # of 2^32 ns, between the times of a stamp that is one of ours
_PACKETS = "$COUNTER_SPEC_PKTS"
_MOST_WORDS = 11  # of a header of TCP that has room for a stamp
_SHORTEST_UDP = 28  # bytes of a packet with its headers


class PathStamps:
    """The stamps of a chip, in each pipe with its own registers."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def leave(self, frame: PathFrame, port: int, now_ns: int) -> None:
        """Puts a stamp into a frame that leaves to a device, or takes it out of one that has come from it."""
        entry = self._store.match(STAMP_PORTS, port)
        if entry is None:
            return
        found, own = StampFrame.of(frame), number(entry, "own")
        seen = self._seen(frame, found, port)
        if str(entry.action).endswith(".from_device"):
            fate = self._come_back(found, entry, frame.arrived_ns % _TIME, port)
            fate = None if fate is Fate.UNSTAMPED and not seen else fate
        else:
            fate = _depart(found, entry, now_ns) if seen else None
        if fate is not None:
            self._count(FATES, port, own << 4 | fate)

    def _seen(self, frame: PathFrame, found: StampFrame, port: int) -> bool:
        key = (
            port,
            not found.is_empty,
            frame.vlan is not None,
            frame.vlan or 0,
            bool(frame.ip),
            *frame.addresses,
            frame.protocol,
            bool(found.tcp),
            bool(found.udp),
            *found.ports,
        )
        return self._store.match(STAMP_WATCHES, *key) is not None

    def _come_back(self, found: StampFrame, entry: TableEntry, arrived_ns: int, port: int) -> Fate | None:
        """The fate of a frame that has come from the device. Its stamp is taken out if it is one of ours.

        None where another direction has put it in: the device has sent it back to where it came from.
        """
        own, first_ns = number(entry, "own"), found.first_ns
        age_ns = (arrived_ns - first_ns) % _TIME
        spans = (arrived_ns // _WORD - first_ns // _WORD) % _HALF
        if not found.stamp or spans > _MOST_SPANS or age_ns // _WORD > spans:
            return Fate.UNSTAMPED
        mark = found.mark
        found.take_out()
        if mark != number(entry, "mark"):
            return None
        if age_ns > number(entry, "limit"):
            return Fate.LATE
        place = pipe_of(port), own
        fate = Fate.RECEIVED if self._follows(place, *divmod(first_ns, _WORD)) else Fate.BEHIND
        self._measure(place, port, age_ns)
        return fate

    def _follows(self, place: tuple[int, int], high: int, low: int) -> bool:
        """Whether a packet left after all others that have come back."""
        latest, begun = self._cells(SPANS, "latest"), self._cells(SPANS, "begun")
        newest_high, newest_low = self._cells(NEWEST, "high"), self._cells(NEWEST, "low")
        later = not begun.get(place) or 0 < (high - latest.get(place, 0)) % _HALF < _HALF // 2
        begun[place] = 1
        if later:
            latest[place] = newest_high[place] = high
        follows = later or (newest_high[place] == high and low > newest_low[place])
        if follows:
            newest_low[place] = low
        return follows

    def _measure(self, place: tuple[int, int], port: int, delay_ns: int) -> None:
        for name, better in (("least", min), ("greatest", max)):
            cells = self._cells(EXTREMES, name)
            cells[place] = better(cells.get(place, first(f".{name}")), delay_ns)
        low, high = (self._cells(DELAY_SUM, half) for half in ("low", "high"))
        more, low[place] = divmod(low.get(place, 0) + delay_ns, _WORD)
        high[place] = (high.get(place, 0) + more) % _WORD
        bucket = self._store.match(BUCKETS, delay_ns)
        self._count(HISTOGRAM, port, place[1] << 8 | (number(bucket, "number") if bucket else OTHERS))

    def _count(self, table: str, port: int, index: int) -> None:
        cells, place = self._store.cells(table, _PACKETS), (pipe_of(port), index)
        cells[place] = cells.get(place, 0) + 1

    def _cells(self, table: str, part: str = "f1") -> Cells:
        return self._store.cells(table, f"{table.partition('.')[2]}.{part}")


def _depart(found: StampFrame, entry: TableEntry, now_ns: int) -> Fate:
    """The fate of a frame that leaves to the device. It gets a stamp if it has room for it."""
    if not found.udp and (not found.tcp or found.offset < 5):
        return Fate.UNFIT
    if found.udp and found.packet_length < _SHORTEST_UDP:
        return Fate.UNFIT
    if found.occupied:
        return Fate.OCCUPIED
    if found.tcp and found.offset > _MOST_WORDS:
        return Fate.NO_ROOM
    if found.packet_length > number(entry, "longest"):
        return Fate.TOO_LONG
    found.put_in(now_ns, number(entry, "mark"))
    return Fate.SENT
