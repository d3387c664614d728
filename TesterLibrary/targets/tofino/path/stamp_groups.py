# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The groups of stamps of a switch: those that are loaded, those that stamp, and what they have counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....errors import PlanError
from ....measurement.snapshot import StampCounters
from ....model.plan.plan import Plan
from ....model.plan.planned_path import PlannedPath
from ....model.plan.planned_stamps import PlannedStamps
from ....planning.switch.stamps import StampedDirection, check_group, path_of, switch_stamps
from ...base import PortInfo
from ..entries.entry import TableEntry
from ..session.session import SwitchSession
from .stamp_entries import HISTOGRAM, LoadedDirection, LoadedStamps, free_numbers, scale_entries
from .stamp_readings import NOTHING_SEEN, direction_counters, read_stamps


@dataclass
class _Group:
    """Loaded stamps."""

    job: str
    loaded: LoadedStamps
    begun: bool = False  # since its start packets are known again
    stamping: bool = False
    sent: dict[int, tuple[int, int]] = field(default_factory=dict)  # packets, and when they were first seen

    @property
    def planned(self) -> PlannedStamps:
        return self.loaded.stamps.planned

    def seen_at(self, number: int, packets: int, now_ns: int) -> int:
        """The time at which so many packets of a direction were first seen to be sent; 0: none was."""
        if packets != self.sent.get(number, (0, 0))[0]:
            self.sent[number] = packets, now_ns
        return self.sent.get(number, (0, 0))[1]


class Stamping:
    """All stamps of a switch. Calls are made by one thread at a time.

    Args:
        session: The session.
        ports: The ports of the testbed, by name.
    """

    def __init__(self, session: SwitchSession, ports: Mapping[str, PortInfo]) -> None:
        self._session, self._ports = session, ports
        self._groups: list[_Group] = []

    def load(self, plan: Plan, paths: Sequence[tuple[str, PlannedPath]]) -> None:
        """Adds the stamps of a job, whose paths are loaded already: by the name of their job.

        Raises:
            PlanError: the switch cannot have them; nothing has changed.
        """
        added: list[_Group] = []
        for planned in plan.stamps:
            groups = (*self._groups, *added)
            check_group(planned, [group.planned for group in groups])
            added.append(_Group(plan.job, self._placed(planned, paths, groups)))
        self._write(added)

    def start(self, jobs: Collection[str]) -> None:
        """Puts stamps into packets, with counters of 0. PlanError if a group does already."""
        starting = self._of(jobs)
        for group in starting:
            if group.stamping:
                raise PlanError(f"stamps {group.planned.name!r} are started already; stop them first")
        if not starting:
            return
        alone = not any(group.begun for group in self._groups if group not in starting)
        if alone:
            self._session.clear([HISTOGRAM])
        self._session.write([entry for group in starting for entry in group.loaded.resets(alone=alone)])
        self._session.write(
            [entry for group in starting for entry in (*group.loaded.knowing, *group.loaded.stamping)]
        )
        for group in starting:
            group.begun = group.stamping = True
            group.sent.clear()

    def stop(self, jobs: Collection[str]) -> None:
        """Puts no more stamps into packets; those that are under way are still known."""
        stopping = [group for group in self._of(jobs) if group.stamping]
        self._session.remove([entry for group in stopping for entry in group.loaded.stamping])
        for group in stopping:
            group.stamping = False

    def unload(self, jobs: Collection[str]) -> None:
        """Forgets the stamps of jobs, and those on a path of one of them, whose packets go elsewhere now."""
        gone = [
            group
            for group in self._groups
            if group.job in jobs or any(path.job in jobs for path in group.planned.paths)
        ]
        self._session.remove([entry for group in gone for entry in _entries(group)])
        for group in gone:
            group.begun = group.stamping = False
        self._groups = [group for group in self._groups if group.job not in jobs]
        if not self._groups:
            self._session.remove(scale_entries())

    def load_anew(self) -> None:
        """Writes the entries of all groups as before their start, in a daemon that was started again."""
        groups, self._groups = self._groups, []
        for group in groups:
            group.begun = group.stamping = False
        self._write(groups)

    def counters(self, jobs: Collection[str], now_ns: int, *, buckets: bool) -> Iterator[StampCounters]:
        """The counters of the stamps of these jobs, since their start."""
        for group in self._of(jobs):
            seen = (
                read_stamps(self._session, group.loaded, buckets=buckets)
                if group.begun
                else [NOTHING_SEEN for _ in group.loaded.directions]
            )
            yield StampCounters(
                job=group.job,
                name=group.planned.name,
                stamping=group.stamping,
                directions=tuple(
                    direction_counters(
                        direction, each, last_sent_ns=group.seen_at(direction.number, each.sent, now_ns)
                    )
                    for direction, each in zip(group.loaded.directions, seen, strict=True)
                ),
            )

    def _placed(
        self, planned: PlannedStamps, paths: Sequence[tuple[str, PlannedPath]], groups: Sequence[_Group]
    ) -> LoadedStamps:
        first, second = (path_of(planned, path, paths) for path in planned.paths)
        facing = (first.second_port, second.first_port)
        sizes = [self._ports[port].max_frame_size for port in facing]
        stamps = switch_stamps(planned, (first, second), (sizes[0], sizes[1]))
        taken = {direction.number for group in groups for direction in group.loaded.directions}
        numbers = free_numbers(taken, len(stamps.directions))
        return LoadedStamps(stamps, tuple(map(self._direction, stamps.directions, numbers)))

    def _direction(self, direction: StampedDirection, number: int) -> LoadedDirection:
        at = self._session.numbers
        return LoadedDirection(direction, number, at[direction.to_device], at[direction.from_device])

    def _write(self, groups: Sequence[_Group]) -> None:
        if groups:
            scale = () if self._groups else scale_entries()
            watches = [entry for group in groups for entry in group.loaded.watches]
            self._session.write([*scale, *watches])
            self._groups += groups

    def _of(self, jobs: Collection[str]) -> list[_Group]:
        return [group for group in self._groups if group.job in jobs]


def _entries(group: _Group) -> tuple[TableEntry, ...]:
    loaded = group.loaded
    return (*loaded.watches, *loaded.knowing, *loaded.stamping)
