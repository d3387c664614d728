# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver's session on a switch: opened, closed cleanly, and opened again when the daemon was restarted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from ....errors import PlanError, TesterLibraryError
from ....model.units.units import Duration
from ..entries.entry import TableEntry
from .cabling import Cabling, bring_up, check_pipelines, copy_port, device_ports, roles
from .schema import Schema
from .switch import Asked, Digest, PortState, Reading, Switch, SwitchGone
from .tables import Tables

_T = TypeVar("_T")
_PATIENCE = Duration(10 * 10**9)
_AGAIN_S = 0.5
_READ_AT_ONCE = 2000  # entries in a request
_WRITTEN_AT_ONCE = 500  # entries; a request that can be undone takes time by the square of its entries
_COPIED_IN_THE_TIME_OF_ONE = 48  # entries that are copied with their table while one is read from the chip


class SwitchSession:
    """Records the entries that are written, so that they can be removed; checks them by the program's schema.

    Args:
        connect: Makes a new connection to the switch's daemon.
        schema: Schema of the program that has to run.
        cabling: The ports to bring up.
        patience: How long to wait for links, and for a daemon that is being restarted.
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
        self._copies: int | None = None
        self._groups: set[int] = set()
        self._mirrors: set[int] = set()
        self._held = Tables(schema)
        self._switch = self._open()

    def again(self) -> None:
        """Opens the session again after its daemon was lost. SwitchGone if it does not come back."""
        with suppress(TesterLibraryError):
            self._switch.close()
        self._held, self._groups, self._mirrors = Tables(self.schema), set(), set()
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

    def write(self, batch: Sequence[TableEntry]) -> None:
        """Adds or changes entries, all or none. PlanError for entries that the program cannot hold."""
        before = self._held.copy()
        self._held.write(batch)
        ordered = sorted(batch, key=self._order)
        written: list[TableEntry] = []
        try:
            for part in _parts(ordered, _WRITTEN_AT_ONCE):
                self._switch.write(part)
                written += part
        except BaseException:
            with suppress(TesterLibraryError):
                self._undo(written, before)
            self._held = before
            raise

    def delete(self, batch: Sequence[TableEntry]) -> None:
        """Removes entries that were written."""
        if batch:
            self._switch.delete(batch)
            self._held.remove(batch)

    def holds(self, entry: TableEntry) -> bool:
        """Whether there is an entry with this key."""
        return self._held.has(entry)

    def remove(self, entries: Iterable[TableEntry]) -> None:
        """Removes those of the entries that exist; registers, counters and meters stay."""
        there = {(entry.table, entry.place): entry for entry in entries if self._held.has(entry)}
        self.delete([entry for entry in there.values() if self.schema[entry.table].written])

    def clear(self, tables: Iterable[str]) -> None:
        """Sets all numbers of registers to 0."""
        self._switch.clear(tables)

    def set_groups(self, groups: Mapping[int, Sequence[int]]) -> None:
        """Sets multicast groups of device ports."""
        if groups:
            self._switch.set_groups(groups)
            self._groups |= set(groups)

    def remove_groups(self, numbers: Iterable[int]) -> None:
        """Removes those of the multicast groups that were set."""
        gone = sorted(self._groups & set(numbers))
        if gone:
            self._switch.remove_groups(gone)
            self._groups -= set(gone)

    @property
    def copy_port(self) -> int:
        """The device port that leads copies away. The cabling has one."""
        if self._copies is None:
            raise PlanError("the testbed has no copy port; give tester.switch.copies its port")
        return self._copies

    def set_mirror(self, session: int) -> None:
        """Leads the copies of a mirror session to the copy port."""
        self._switch.set_mirror(session, self.copy_port)
        self._mirrors.add(session)

    def read(self, asked: Sequence[Asked]) -> list[Reading]:
        """The entries in the chip, all read at about the same time.

        A few entries of a table are read from the chip one by one. For many, the daemon copies the table.
        """
        counts = Counter(one.table for one in asked)
        copied = {
            table for table, n in counts.items() if n * _COPIED_IN_THE_TIME_OF_ONE > self.schema[table].size
        }
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
        """The counters of its ports' MACs, in the order of `numbers`. A model has no MACs."""
        if not self.cabling.has_transceivers:
            return [{} for _ in self.numbers]
        return self._switch.mac_counters(list(self.numbers.values()))

    def read_each(self, asked: Iterable[Sequence[Asked]]) -> list[list[Reading]]:
        """Reads groups of entries like `read`; the readings are in the same groups."""
        groups = list(asked)
        rest = iter(self.read([one for group in groups for one in group]))
        return [[next(rest) for _ in group] for group in groups]

    def on_loss(self, written: Sequence[TableEntry], removed: Sequence[TableEntry]) -> None:
        """Sets the entries to write and delete if this driver ends without closing the session."""
        once = {(entry.table, entry.place): entry for entry in removed}
        self._switch.on_loss(written, list(once.values()))

    def send(self, frames: Sequence[bytes]) -> None:
        """Sends packets to the program."""
        self._switch.send(frames)

    def received(self) -> list[bytes]:
        """Packets that the program has sent."""
        return self._switch.received()

    def changed_ports(self) -> tuple[PortState, ...]:
        """The changes of links since the last call, one by one.

        A model has no links, so the states of its ports mean nothing.
        """
        changed = self._switch.changed_ports()
        return changed if self.cabling.has_transceivers else ()

    def digests(self) -> tuple[Digest, ...]:
        """The program's digests since the last call. Some can be missing."""
        return self._switch.digests()

    def take_worst_pause_ns(self) -> int | None:
        """The longest time since the last call in which a fake switch had no CPU; None where none can be."""
        return self._switch.take_worst_pause_ns()

    def close(self) -> None:
        """Removes entries and groups, takes ports down and releases the program. Never raises."""
        with suppress(TesterLibraryError):
            self._switch.delete([entry for entry in self._held.all() if self._removable(entry)])
            self._switch.write(list(roles(self.cabling, self.numbers, cleared=True)))
            self._switch.remove_groups(sorted(self._groups))
            for session in self._mirrors:
                self._switch.set_mirror(session, None)
            cpu = [self.cabling.cpu_port] if self.cabling.has_cpu else []
            copies = [] if self._copies is None else [self._copies]
            self._switch.remove_ports([*self.numbers.values(), *cpu, *self.cabling.looping, *copies])
            self._switch.on_loss([])  # nothing is left that could send
        self._switch.close()

    def _open(self) -> Switch:
        switch = self._connect()
        try:
            switch.bind()
            # A driver that ended without closing its session has left entries.
            switch.clear([table.name for table in self.schema.tables.values() if table.written])
            self.numbers = device_ports(switch, self.cabling)
            self._copies = copy_port(switch, self.cabling, self.numbers)
            check_pipelines(self.cabling, self.numbers, self._copies)
            self.states = bring_up(
                switch, self.cabling, self.numbers, self._copies, patience=self._patience, sleep=self._sleep
            )
        except BaseException:
            switch.close()
            raise
        return switch

    def _order(self, entry: TableEntry) -> tuple[bool, int]:
        """A sort key: registers, then rows by priority; a chip has to move rows to insert an earlier one."""
        priority = entry.key.get("$MATCH_PRIORITY", 0)
        return self._removable(entry), priority if isinstance(priority, int) else 0

    def _undo(self, written: Sequence[TableEntry], before: Tables) -> None:
        """Restores rows as they were before; registers keep the values that were written."""
        rows = [entry for entry in written if self._removable(entry)]
        self._switch.delete([row for row in rows if not before.has(row)])
        self._switch.write([before.stored(row) for row in rows if before.has(row)])

    def _removable(self, entry: TableEntry) -> bool:
        return self.schema[entry.table].written


def _parts(whole: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    return (whole[begin : begin + size] for begin in range(0, len(whole), size))
