# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads jobs into a switch and unloads them: entries, multicast groups, template packets, responders."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from ....errors import TesterLibraryError
from ....measurement.snapshot import EndCounters
from ....model.plan.plan import Plan
from ....planning.switch.allocation import LoopbackPort, LoopbackPorts
from ....planning.switch.chip import pipe_of
from ..entries.entry import TableEntry
from ..entries.latency import bucket_entries
from ..reading.end_readings import end_asked, end_counters, end_untouched
from ..reading.resets import Extremes, Resets
from ..session.cabling import Cabling
from ..session.ports import SwitchPorts
from ..session.program import Program
from ..session.session import SwitchSession
from .building import switch_job
from .change import JobChange
from .job import SwitchJob
from .loaded import LoadedEnd

# The loops of a model carry some hundred packets each second, so meters of slow streams have to be slow.
_SLOW_ON_A_MODEL, _EVEN_ON_A_MODEL = 64, Fraction(1, 10**4)


class Loading:
    """Loads jobs in one session. At its start it writes the scale of latencies, which all jobs share."""

    def __init__(self, session: SwitchSession, program: Program) -> None:
        self._session, self._program = session, program
        self._silent: dict[str, list[EndCounters]] = {}  # counters of silent responders, by job
        self._chip, loopback = _loops(session.cabling)
        known = {port.port.name: port.port for port in session.cabling.front}
        self._ports = SwitchPorts(session.numbers, loopback, session.cabling.cpu_port, known)
        session.write(list(bucket_entries()))

    def job(self, plan: Plan, others: Sequence[SwitchJob]) -> SwitchJob:
        """The job for a plan. PlanError if a switch cannot do something, or a resource runs out."""
        return switch_job(plan, self._ports, self._program, chip=self._chip, others=others)

    def load(self, job: SwitchJob) -> None:
        """Loads a job. Its streams are held back, its responders are silent."""
        self._session.set_groups(job.groups)
        written: tuple[TableEntry, ...] = ()
        try:
            self._session.write(job.entries)
            written = job.entries
            self._session.send([packet.octets for packet in job.packets for _ in range(packet.count)])
        except TesterLibraryError:
            with suppress(TesterLibraryError):
                self._session.remove(written)
                self._session.remove_groups(job.groups)
            raise
        self._silent[job.plan.job] = [_nothing(job.plan.job, end) for end in job.ends]

    def change(self, old: SwitchJob, new: SwitchJob) -> None:
        """Replaces a job: streams that stay the same go on, changed ones are held back."""
        done = JobChange.between(old, new)
        self._session.remove(done.removed)
        self._session.set_groups({n: ports for n, ports in new.groups.items() if old.groups.get(n) != ports})
        self._session.write(done.written)
        self._session.send([packet.octets for packet in done.packets for _ in range(packet.count)])
        self._session.remove_groups(set(old.groups) - set(new.groups))

    def unload(self, job: SwitchJob) -> None:
        """Removes a job completely: its template packets leave their loops."""
        self._session.remove([*job.entries, *job.answering, *job.starting()])
        self._session.remove_groups(job.groups)
        del self._silent[job.plan.job]

    def begin(self, jobs: Sequence[SwitchJob], others: Sequence[SwitchJob]) -> None:
        """Sets counters of jobs to 0, and lets their responders answer, with no flows."""
        signed = [stream for job in jobs for stream in job.streams.values() if stream.planned.signature]
        found = map(Extremes.of, self._session.read([Extremes.asked(stream) for stream in signed]))
        known = {stream.template: extremes for stream, extremes in zip(signed, found, strict=True)}
        resets = Resets.of(jobs, others, known)
        self._session.write(resets.entries)
        if resets.tables:
            self._session.clear(resets.tables)
        self._session.write([*resets.cells, *(entry for job in jobs for entry in job.answering)])
        for job in jobs:
            self._silent.pop(job.plan.job, None)

    def end_ends(self, job: SwitchJob) -> None:
        """Makes the responders and clients of a job silent; their counters stay."""
        counted = self.read_ends(job)
        self._session.remove(job.answering)
        self._silent[job.plan.job] = [replace(end, answering=False, opening=False) for end in counted]

    def read_ends(self, job: SwitchJob) -> list[EndCounters]:
        """The counters of a job's responders since their start."""
        silent = self._silent.get(job.plan.job)
        if silent is not None:
            return silent
        return [
            end_counters(job.plan.job, end, self._session.read(end_asked(end)), answering=True)
            for end in job.ends
        ]


def _nothing(job: str, end: LoadedEnd) -> EndCounters:
    return end_counters(job, end, end_untouched(end), answering=False)


def _loops(cabling: Cabling) -> tuple[LoopbackPorts, dict[LoopbackPort, int]]:
    """The loopback ports as plans number them: by pipeline, and in each pipeline from 0 on."""
    pipes: dict[int, list[int]] = {}
    for number in cabling.looping:
        pipes.setdefault(pipe_of(number), []).append(number)
    fewest = min(map(len, pipes.values()))
    places = {
        LoopbackPort(pipeline, port): number
        for pipeline, numbers in enumerate(pipes.values())
        for port, number in enumerate(numbers[:fewest])
    }
    chip = LoopbackPorts(len(pipes), fewest, cabling.chip.port_bps, cabling.chip.pipeline_pps, cabling.meter)
    if not cabling.has_transceivers:  # a model
        chip = replace(chip, slow_pps=_SLOW_ON_A_MODEL, even=_EVEN_ON_A_MODEL)
    return chip, places
