# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver's hold on a switch: taken, given back clean, and taken again when its daemon was restarted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from ...errors import TesterLibraryError
from ...model.units import Duration
from .cabling import Cabling, bring_up, check_pipelines, device_ports, roles
from .entry import Entry
from .schema import Schema
from .switch import Asked, Digest, PortState, Reading, Switch, SwitchGone
from .tables import Tables

_T = TypeVar("_T")
_PATIENCE = Duration(10 * 10**9)
_AGAIN_S = 0.5
_READ_AT_ONCE = 2000  # entries of a request
_WRITTEN_AT_ONCE = 500  # a daemon that can undo a request takes time by the square of its entries
_COPIED_IN_THE_TIME_OF_ONE = 16  # entries of a table that is copied as a whole, while one of a chip is read


class Session:
    """Keeps account of what is written, so that it can be removed; refuses what the program's schema does.

    Args:
        connect: Reaches the switch's daemon, from the begin.
        schema: Of the program that is to run.
        cabling: Ports to be brought up.
        patience: For links, and for a daemon that is being restarted.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        connect: Callable[[], Switch],
        schema: Schema,
        cabling: Cabling,
        *,
        patience: Duration = _PATIENCE,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.cabling, self.schema = cabling, schema
        self._connect, self._patience, self._sleep = connect, patience, sleep
        self.numbers: dict[str, int] = {}  # device ports, by name
        self.states: tuple[PortState, ...] = ()
        self._groups: set[int] = set()
        self._held = Tables(schema)
        self._switch = self._open()

    def again(self) -> None:
        """Takes the switch once more, after its daemon was lost. SwitchGone if it does not come back."""
        with suppress(TesterLibraryError):
            self._switch.close()
        self._held, self._groups = Tables(self.schema), set()
        waited_s = 0.0
        while True:
            try:
                self._switch = self._open()
                return
            except SwitchGone:
                if waited_s >= self._patience.seconds:
                    raise
                self._sleep(_AGAIN_S)
                waited_s += _AGAIN_S

    def write(self, batch: Sequence[Entry]) -> None:
        """Adds or changes entries, all or none. PlanError for what the program cannot hold."""
        before = self._held.copy()
        self._held.write(batch)
        ordered = sorted(batch, key=self._order)
        written: list[Entry] = []
        try:
            for part in _parts(ordered, _WRITTEN_AT_ONCE):
                self._switch.write(part)
                written += part
        except BaseException:
            with suppress(TesterLibraryError):
                self._undo(written, before)
            self._held = before
            raise

    def delete(self, batch: Sequence[Entry]) -> None:
        """Removes entries that were written."""
        if batch:
            self._switch.delete(batch)
            self._held.remove(batch)

    def remove(self, entries: Iterable[Entry]) -> None:
        """Those of them that are there; registers and the like stay."""
        there = {(own.table, own.place): own for own in entries if self._held.has(own)}
        self.delete([own for own in there.values() if self.schema[own.table].written])

    def clear(self, tables: Iterable[str]) -> None:
        """Sets all numbers of registers to 0."""
        self._switch.clear(tables)

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """Multicast groups of device ports."""
        if groups:
            self._switch.set_groups(groups)
            self._groups |= set(groups)

    def remove_groups(self, numbers: Iterable[int]) -> None:
        """Those that were set."""
        gone = sorted(self._groups & set(numbers))
        if gone:
            self._switch.remove_groups(gone)
            self._groups -= set(gone)

    def read(self, asked: Sequence[Asked]) -> list[Reading]:
        """Entries as the chip has them, all at about one instant.

        Few of a table are read from the chip one by one; else the daemon copies the table first.
        """
        counts = Counter(one.table for one in asked)
        copied = {own for own, n in counts.items() if n * _COPIED_IN_THE_TIME_OF_ONE > self.schema[own].size}
        if copied:
            self._switch.sync(sorted(copied))
        found: dict[int, Reading] = {}
        for from_chip in (False, True):
            numbers = [n for n, one in enumerate(asked) if (one.table not in copied) == from_chip]
            for part in _parts(numbers, _READ_AT_ONCE):
                read = self._switch.read([asked[n] for n in part], from_chip=from_chip)
                found.update(zip(part, read, strict=True))
        return [found[n] for n in range(len(asked))]

    def mac_counters(self) -> list[Reading]:
        """Of the MACs of its ports, in the order of `numbers`. A model has no MACs."""
        if not self.cabling.has_transceivers:
            return [{} for _ in self.numbers]
        return self._switch.mac_counters(list(self.numbers.values()))

    def read_each(self, asked: Iterable[Sequence[Asked]]) -> list[list[Reading]]:
        """The same, of groups of entries."""
        groups = list(asked)
        rest = iter(self.read([one for own in groups for one in own]))
        return [[next(rest) for _ in own] for own in groups]

    def on_loss(self, entries: Sequence[Entry]) -> None:
        """What is written when this driver ends without having closed the session."""
        self._switch.on_loss(entries)

    def send(self, frames: Sequence[bytes]) -> None:
        """Packets to the program."""
        self._switch.send(frames)

    def received(self) -> list[bytes]:
        """Packets of the program."""
        return self._switch.received()

    def changed_ports(self) -> tuple[PortState, ...]:
        """What has changed of links since it was asked last, each change by itself.

        A model has no links: what it says of its ports means nothing.
        """
        changed = self._switch.changed_ports()
        return changed if self.cabling.has_transceivers else ()

    def digests(self) -> tuple[Digest, ...]:
        """What the program has told of packets since it was asked last. Some can be missing."""
        return self._switch.digests()

    def close(self) -> None:
        """Removes what was written, takes ports down and gives the program free. Never raises."""
        with suppress(TesterLibraryError):
            self._switch.delete([entry for entry in self._held.all() if self._removable(entry)])
            self._switch.write(list(roles(self.cabling, self.numbers, cleared=True)))
            self._switch.remove_groups(sorted(self._groups))
            self._switch.remove_ports([*self.numbers.values(), self.cabling.cpu_port, *self.cabling.looping])
            self._switch.on_loss([])  # nothing is left that could send
        self._switch.close()

    def _open(self) -> Switch:
        switch = self._connect()
        try:
            switch.bind()
            # What a driver has left that ended without a word.
            switch.clear([table.name for table in self.schema.tables.values() if table.written])
            self.numbers = device_ports(switch, self.cabling)
            check_pipelines(self.cabling, self.numbers)
            self.states = bring_up(
                switch, self.cabling, self.numbers, patience=self._patience, sleep=self._sleep
            )
        except BaseException:
            switch.close()
            raise
        return switch

    def _order(self, entry: Entry) -> tuple[bool, int]:
        """Registers first. Of rows those that are tried first: a chip moves others to get them in later."""
        priority = entry.key.get("$MATCH_PRIORITY", 0)
        return self._removable(entry), priority if isinstance(priority, int) else 0

    def _undo(self, written: Sequence[Entry], before: Tables) -> None:
        """Rows are as they were; registers keep what was written."""
        rows = [own for own in written if self._removable(own)]
        self._switch.delete([own for own in rows if not before.has(own)])
        self._switch.write([before.own(own) for own in rows if before.has(own)])

    def _removable(self, entry: Entry) -> bool:
        return self.schema[entry.table].written


def _parts(whole: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    return (whole[begin : begin + size] for begin in range(0, len(whole), size))
