# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester in a switch that is in the way of other people's traffic: the program of paths."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from ....errors import PlanError
from ....measurement.counter import Counter
from ....measurement.snapshot import PathCounters, PortCounters, Snapshot
from ....model.plan.plan import Plan, PlannedStream
from ....model.units.units import Duration
from ....planning.switch.inline import PATHS
from ....planning.switch.stamps import GROUPS
from ...base import Capabilities, Flipped, SendingProgress
from ...rules.refusal import check_end, known_job, known_port
from ..entries.latency import PERCENTILE_ERROR
from ..reading.links import Links
from ..reading.port_totals import COUNTED_BY_MACS
from ..reading.process_pauses import ProcessPauses
from ..session.ports import MacCounters, mac_counters, port_infos, with_macs
from ..session.program import Program
from ..session.repeated_call import reached
from ..session.session import SwitchSession
from .path_captures import INSTEAD, PathCaptures
from .path_entries import REGISTERS, resets
from .path_readings import path_counters, read_path, read_ports
from .path_run import PathRun, planned_run
from .stamp_groups import Stamping


class PathTarget:
    """A `Target` that forwards between its ports and has events happen to single packets.

    When the daemon of the switch was restarted, the next call opens the session again, loads the jobs as they
    were before their start, and raises TargetError. Threads may share it.

    Args:
        session: A session whose ports are up; the attribute `session` keeps it.
        program: The program that runs in the switch.
        now_ns: The driver's clock.
        details: A line for the report.
    """

    kind = "a switch with the program inline"
    queries = flows = stamps = frames = leases = clock = device = usage = planner = instants = clocks = None

    def __init__(
        self,
        session: SwitchSession,
        program: Program,
        *,
        now_ns: Callable[[], int] = time.monotonic_ns,
        details: str = "",
    ) -> None:
        self.session, self._program, self._details, self._now_ns = session, program, details, now_ns
        self._lock = threading.RLock()
        self._known = {info.name: info for info in port_infos(session)}
        self._runs: dict[str, PathRun] = {}
        self.captures = PathCaptures(session, now_ns, self._runs, self._reached)
        self._stamping = Stamping(session, self._known)
        self._begin()

    def capabilities(self) -> Capabilities:
        """See `Target`."""
        with self._lock:
            has_macs = all(macs["rx_missed"] is not None for macs in self._macs)
            return Capabilities(
                "tofino",
                f"{self._program.profile}: paths",
                tuple(self._known.values()),
                max_streams=0,
                details=self._details,
                counts=frozenset({Counter.LINKS}) | (COUNTED_BY_MACS if has_macs else frozenset()),
                percentile_error=PERCENTILE_ERROR,
                max_paths=min(PATHS, len(self._known) // 2),
                max_stamps=GROUPS,
            )

    def load(self, plan: Plan) -> None:
        """See `Target`."""
        with self._reached():
            if plan.job in self._runs:
                raise PlanError(f"a job {plan.job!r} is loaded already; unload it first")
            self._check_plan(plan)
            loaded = [(run.job, path.path.planned) for run in self._runs.values() for path in run.paths]
            self._load(planned_run(plan, self._runs.values(), self.session))
            try:
                self._stamping.load(plan, loaded)
            except BaseException:
                self._unload([self._runs[plan.job]])
                raise

    def start(
        self, jobs: Sequence[str], *, duration: Duration | None = None, packets: int | None = None
    ) -> None:
        """See `Target`. Paths forward until they are stopped."""
        check_end(duration, packets)
        with self._reached():
            runs = self._of(jobs)
            for run in runs:
                if run.forwarding:
                    raise PlanError(f"job {run.job!r} is forwarding already; stop it first")
            paths = [path for run in runs for path in run.paths]
            if any(path.path.watch is not None for path in paths):
                self.session.clear(REGISTERS)
            self.session.write([entry for path in paths for entry in resets(path)])
            for run in runs:
                run.begin, run.end = tuple(read_path(self.session, path) for path in run.paths), None
            self._stamping.start(jobs)
            self._hold_on_loss()
            self.session.write([entry for path in paths for entry in path.forwarding])

    def stop(self, jobs: Sequence[str], *, abandon: bool = False) -> None:  # noqa: ARG002
        """See `Target`."""
        with self._reached():
            self._stop(self._of(jobs))

    def update(self, job: str, stream: PlannedStream) -> None:
        """See `Target`. It has no streams."""
        self._of([job])
        raise PlanError(f"job {job!r} has no stream {stream.id}; it has none")

    def unload(self, jobs: Sequence[str]) -> None:
        """See `Target`."""
        with self._reached():
            runs = self._of(jobs)
            self._stop(runs)
            self._stamping.unload([run.job for run in runs])
            self._unload(runs)

    def wait(
        self,
        jobs: Sequence[str],
        *,
        timeout: Duration,  # noqa: ARG002 - as `Target` has it
        on_progress: Callable[[SendingProgress], None] | None = None,
    ) -> None:
        """See `Target`. No job of paths is sending."""
        self._of(jobs)
        if on_progress:
            on_progress(SendingProgress.of(()))

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        """See `Target`. The driver's clock is the tester's."""
        with self._reached():
            now_ns, runs = self._now_ns(), self._of(jobs or tuple(self._runs))
            return Snapshot(
                taken_at_ns=now_ns,
                ports=self._links.noted(self._ports()),
                paths=tuple(path for run in runs for path in self._read(run)),
                jobs=self._pauses.counters({run.job: run.ports for run in runs}),
                stamps=tuple(self._stamping.counters([run.job for run in runs], now_ns, buckets=buckets)),
            )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`. It has no streams."""
        self._of(jobs)
        raise PlanError(f"streams of {', '.join(jobs)} carry no version; they cannot be flipped together")

    def close(self) -> None:
        """See `Target`."""
        with self._lock:
            self._runs.clear()
            self.captures.close()
            self.session.close()

    def _check_plan(self, plan: Plan) -> None:
        """PlanError for all but paths and stamps."""
        for kind, names in (
            ("stream", [stream.name for stream in plan.streams]),
            ("responder or clients", [end.name for end in plan.ends]),
        ):
            if names:
                raise PlanError(
                    f"{kind} {names[0]!r}: the program of this switch has paths, and no traffic of its own; "
                    f"{INSTEAD}"
                )
        if plan.learning:
            raise PlanError(
                f"{len(plan.learning):,} frames for port {plan.learning[0].port!r}: "
                f"the program of paths forwards what others send, and sends nothing; {INSTEAD}"
            )
        for path in plan.paths:
            known_port(path.first_port, self._known)
            known_port(path.second_port, self._known)

    def _of(self, jobs: Iterable[str]) -> list[PathRun]:
        return [known_job(name, self._runs) for name in dict.fromkeys(jobs)]

    def _load(self, run: PathRun) -> None:
        self.session.write([entry for path in run.paths for entry in path.entries])
        self._runs[run.job] = run

    def _unload(self, runs: Sequence[PathRun]) -> None:
        for run in runs:
            self.session.remove([entry for path in run.paths for entry in path.entries])
            del self._runs[run.job]

    def _stop(self, runs: Sequence[PathRun]) -> None:
        forwarding = [run for run in runs if run.forwarding]
        self._stamping.stop([run.job for run in runs])
        self.session.remove([entry for run in forwarding for path in run.paths for entry in path.forwarding])
        for run in forwarding:
            run.end = tuple(read_path(self.session, path) for path in run.paths)
        self._hold_on_loss()

    def _read(self, run: PathRun) -> Iterator[PathCounters]:
        if run.begin is None:
            now = begin = tuple(read_path(self.session, path) for path in run.paths)
        else:
            begin = run.begin
            now = run.end or tuple(read_path(self.session, path) for path in run.paths)
        for path, was, seen in zip(run.paths, begin, now, strict=True):
            yield path_counters(run.job, path, was, seen, forwarding=run.forwarding)

    def _hold_on_loss(self) -> None:
        """Has paths end if this driver is killed: nobody could stop them then."""
        running = [run for run in self._runs.values() if run.forwarding]
        self.session.on_loss(
            [], [entry for run in running for path in run.paths for entry in path.forwarding]
        )

    def _ports(self) -> tuple[PortCounters, ...]:
        """The counters of ports since the session began."""
        now, macs = read_ports(self.session), self._read_macs()
        return tuple(
            with_macs(_since(port, was), had, has)
            for port, was, had, has in zip(now, self._ports_began, self._macs, macs, strict=True)
        )

    def _read_macs(self) -> list[MacCounters]:
        return list(map(mac_counters, self.session.mac_counters()))

    def _begin(self) -> None:
        """Begins with a switch without jobs."""
        self._links, self._pauses = Links(self.session), ProcessPauses(self.session)
        self._ports_began, self._macs = read_ports(self.session), self._read_macs()

    def _reached(self) -> AbstractContextManager[None]:
        return reached(self._lock, self.session, self._load_anew)

    def _load_anew(self) -> int:
        self._begin()
        self.captures.close()
        for run in self._runs.values():
            self._load(PathRun(run.job, tuple(path.traced_as(0) for path in run.paths)))
        self._stamping.load_anew()
        return len(self._runs)


def _since(port: PortCounters, begin: PortCounters) -> PortCounters:
    return PortCounters(
        name=port.name,
        tx_packets=port.tx_packets - begin.tx_packets,
        tx_bytes=port.tx_bytes - begin.tx_bytes,
        rx_packets=port.rx_packets - begin.rx_packets,
        rx_bytes=port.rx_bytes - begin.rx_bytes,
        rx_foreign=port.rx_foreign - begin.rx_foreign,
    )
