# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs into a switch and out of it again: entries, multicast groups, template packets, responders."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from ...errors import TesterLibraryError
from ...measurement.snapshot import EndCounters
from ...model.plan import Plan
from ...planning.allocation import LoopbackPort, LoopbackPorts
from .building import switch_job
from .cabling import Cabling
from .change import Change
from .device_port import pipe_of
from .end_readings import end_asked, end_counters
from .entry import Entry
from .job import SwitchJob
from .latency import bucket_entries
from .loaded import LoadedEnd
from .ports import SwitchPorts
from .program import Program
from .resets import Resets
from .session import Session

_log = logging.getLogger(__name__)


class Loading:
    """On one session. Writes what all jobs share, which is the scale of latencies."""

    def __init__(self, session: Session, program: Program) -> None:
        self._session, self._program = session, program
        self._silent: dict[str, list[EndCounters]] = {}  # what responders had counted, by job
        self._chip, loopback = _loops(session.cabling)
        known = {own.port.name: own.port for own in session.cabling.front}
        self._ports = SwitchPorts(session.numbers, loopback, session.cabling.cpu_port, known)
        session.write(list(bucket_entries()))

    def job(self, plan: Plan, others: Sequence[SwitchJob]) -> SwitchJob:
        """Of a plan. PlanError for what a switch cannot do, or the resource that runs out."""
        return switch_job(plan, self._ports, self._program, chip=self._chip, others=others)

    def load(self, job: SwitchJob) -> None:
        """Its streams are held back, its responders silent."""
        self._session.set_groups(job.groups)
        written: tuple[Entry, ...] = ()
        try:
            self._session.write(job.entries)
            written = job.entries
            self._session.send([own.octets for own in job.packets for _ in range(own.count)])
        except TesterLibraryError:
            with suppress(TesterLibraryError):
                self._session.remove(written)
                self._session.remove_groups(job.groups)
            raise
        self._silent[job.plan.job] = [_nothing(job.plan.job, own) for own in job.ends]
        for neighbour in job.unanswered:
            _log.warning(
                "a switch answers no neighbour discovery: a device at %s needs a static neighbour for %s",
                neighbour.port,
                neighbour.address,
            )

    def change(self, old: SwitchJob, new: SwitchJob) -> None:
        """Another job in the place of one: what stays the same goes on, what is other is held back."""
        done = Change.between(old, new)
        self._session.remove(done.removed)
        self._session.set_groups({n: ports for n, ports in new.groups.items() if old.groups.get(n) != ports})
        self._session.write(done.written)
        self._session.send([own.octets for own in done.packets for _ in range(own.count)])
        self._session.remove_groups(set(old.groups) - set(new.groups))

    def unload(self, job: SwitchJob) -> None:
        """Nothing of it is left: its templates fall out of their loops."""
        self._session.remove([*job.entries, *job.answering, *job.starting()])
        self._session.remove_groups(job.groups)
        del self._silent[job.plan.job]

    def begin(self, jobs: Sequence[SwitchJob], others: Sequence[SwitchJob]) -> None:
        """Counters of jobs are 0, and their responders begin with no flows."""
        resets = Resets.of(jobs, others)
        self._session.clear(resets.tables)
        self._session.write([*resets.entries, *(own for job in jobs for own in job.answering)])
        for job in jobs:
            self._silent.pop(job.plan.job, None)

    def end_ends(self, job: SwitchJob) -> None:
        """Responders are silent; what they have counted stays."""
        counted = self.read_ends(job)
        self._session.remove(job.answering)
        self._silent[job.plan.job] = [replace(own, answering=False) for own in counted]

    def read_ends(self, job: SwitchJob) -> list[EndCounters]:
        """Of its responders since their start."""
        silent = self._silent.get(job.plan.job)
        if silent is not None:
            return silent
        return [
            end_counters(job.plan.job, own, self._session.read(end_asked(own)), answering=True)
            for own in job.ends
        ]


def _nothing(job: str, own: LoadedEnd) -> EndCounters:
    zeros = [{"$COUNTER_SPEC_PKTS": 0} for _ in end_asked(own)]
    return end_counters(job, own, zeros, answering=False)


def _loops(cabling: Cabling) -> tuple[LoopbackPorts, dict[LoopbackPort, int]]:
    """As plans number them: by pipeline, and in each from 0 on."""
    pipes: dict[int, list[int]] = {}
    for number in cabling.looping:
        pipes.setdefault(pipe_of(number), []).append(number)
    fewest = min(map(len, pipes.values()))
    places = {
        LoopbackPort(pipeline, port): number
        for pipeline, numbers in enumerate(pipes.values())
        for port, number in enumerate(numbers[:fewest])
    }
    chip = LoopbackPorts(len(pipes), fewest, meter=cabling.meter)
    if not cabling.has_transceivers:  # a model, whose loops carry some hundred packets each second
        chip = replace(chip, spare=Fraction(0))
    return chip, places
