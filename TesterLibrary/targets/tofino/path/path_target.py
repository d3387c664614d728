# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester in a switch that is in the way of other people's traffic: the program of paths."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from ....errors import PlanError
from ....measurement.capture import StoppedCapture
from ....measurement.captured_frames import CapturedFrames
from ....measurement.counter import Counter
from ....measurement.snapshot import FlowCounters, PathCounters, PortCounters, Snapshot
from ....model.capture import Capture
from ....model.heading import Heading
from ....model.plan.plan import LearningFrame, Plan, PlannedStream
from ....model.ports import Address
from ....model.units.units import Duration
from ....planning.switch.chip import pipe_of
from ....planning.switch.inline import PATHS, check_beside, check_ports, switch_path
from ....planning.switch.stamps import GROUPS
from ...base import Capabilities, Flipped, SendingProgress, StampRecords
from ...rules.refusal import check_end, known_job, known_port
from ..entries.latency import PERCENTILE_ERROR
from ..reading.links import Links
from ..reading.port_totals import COUNTED_BY_MACS
from ..session.macs import MacCounters, mac_counters, with_macs
from ..session.port_infos import port_infos
from ..session.program import Program
from ..session.repeated_call import reached
from ..session.session import SwitchSession
from ..session.unsupported_calls import WithoutFrames
from .path_entries import REGISTERS, LoadedPath, resets
from .path_readings import PathSeen, path_counters, read_path, read_ports
from .path_traces import PathTraces
from .stamp_groups import Stamping

_INSTEAD = "load the switch with the program `tofino`, or use a testerd"


@dataclass
class _Run:
    """A loaded job, its paths and its stamps."""

    job: str
    paths: tuple[LoadedPath, ...]
    begin: tuple[PathSeen, ...] | None = None  # its last start
    end: tuple[PathSeen, ...] | None = None  # while it is stopped

    @property
    def forwarding(self) -> bool:
        return self.begin is not None and self.end is None

    def path(self, name: str) -> LoadedPath:
        for path in self.paths:
            if path.path.planned.name == name:
                return path
        raise PlanError(f"job {self.job!r} has no path {name!r}")


class PathTarget(WithoutFrames):
    """A `Target` that forwards between its ports and has events happen to single packets.

    When the daemon of the switch was restarted, the next call opens the session again, loads the jobs as they
    were before their start, and raises TargetError. Threads may share it.

    Args:
        session: A session whose ports are up; the attribute `session` keeps it.
        program: The program that runs in the switch.
        now_ns: The driver's clock.
        details: A line for the report.
    """

    tester_kind = "a switch with the program inline"

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
        self._runs: dict[str, _Run] = {}
        self._traces = PathTraces(session, now_ns)
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
            others = [path for run in self._runs.values() for path in run.paths]
            paths: list[LoadedPath] = []
            for planned in plan.paths:
                numbers = tuple(self._number(port) for port in (planned.first_port, planned.second_port))
                path = LoadedPath(switch_path(planned), (numbers[0], numbers[1]))
                check_ports(path.path, [pipe_of(number) for number in path.ports])
                check_beside(path.path, [other.path for other in (*others, *paths)])
                paths.append(path)
            if len(others) + len(paths) > PATHS:
                raise PlanError(
                    f"job {plan.job!r}: a switch has {PATHS} paths at most; unload another job first"
                )
            loaded = [(run.job, path.path.planned) for run in self._runs.values() for path in run.paths]
            self._load(_Run(plan.job, tuple(paths)))
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
                stamps=tuple(self._stamping.counters([run.job for run in runs], now_ns, buckets=buckets)),
            )

    def flip(self, jobs: Sequence[str]) -> Flipped:
        """See `Target`. It has no streams."""
        self._of(jobs)
        raise PlanError(f"streams of {', '.join(jobs)} carry no version; they cannot be flipped together")

    def flows(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `Target`. It has no streams."""
        self._of([job])
        raise PlanError(f"job {job!r} has no stream {stream_id} that counts flows")

    def stamp_records(self, job: str, name: str, heading: Heading) -> Iterator[StampRecords]:  # noqa: ARG002
        """See `Target`. It counts neither flows nor intervals."""
        self._of([job])
        raise PlanError(
            f"stamps {name!r}: a switch counts all packets of a direction together, not by flows or by "
            "intervals; use a testerd"
        )

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `Target`. It sends nothing of its own."""
        frames = list(frames)
        if frames:
            raise PlanError(
                f"{len(frames):,} frames for port {frames[0].port!r}: the program of paths forwards what "
                f"others send, and sends nothing; {_INSTEAD}"
            )

    def start_capture(self, capture: Capture) -> None:
        """See `Target`. Of a path only, to this machine: a trace."""
        if capture.traced is None:
            raise PlanError(
                f"capture {capture.name!r}: the program of paths copies the packets of a path: Start Trace; "
                f"for what its ports send and receive, {_INSTEAD}"
            )
        with self._reached():
            run = known_job(capture.traced.job, self._runs)
            path = run.path(capture.traced.path)
            self._traces.check(capture, path)
            self._replace(run, path, self._traces.begin(capture, path))

    def stop_capture(self, name: str) -> StoppedCapture:
        """See `Target`."""
        with self._reached():
            self._untrace(name)
            return self._traces.end(name)

    def read_capture(self, name: str) -> Iterator[CapturedFrames]:
        """See `Target`."""
        return self._traces.read(name)

    def forget_capture(self, name: str) -> None:
        """See `Target`."""
        with self._reached():
            self._untrace(name)
            self._traces.forget(name)

    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:  # noqa: ARG002
        """See `Target`. It asks nobody."""
        known_port(port, self._known)
        raise PlanError(
            f"the MAC address of {address} on port {port!r}: the program of paths asks nobody, and needs no "
            f"gateway; leave gateway out of the testbed, or {_INSTEAD}"
        )

    def close(self) -> None:
        """See `Target`."""
        with self._lock:
            self._runs.clear()
            self._traces.close()
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
                    f"{_INSTEAD}"
                )
        self.inject(plan.learning)

    def _number(self, port: str) -> int:
        known_port(port, self._known)
        return self.session.numbers[port]

    def _of(self, jobs: Iterable[str]) -> list[_Run]:
        return [known_job(name, self._runs) for name in dict.fromkeys(jobs)]

    def _untrace(self, name: str) -> None:
        """Has the path of a trace, if it is still traced, go on without."""
        traced = self._traces.path_of(name)
        for run in self._runs.values() if traced else ():
            for path in run.paths:
                if path == traced:
                    self._replace(run, path, path.traced_as(0))

    def _replace(self, run: _Run, path: LoadedPath, other: LoadedPath) -> None:
        """Has a path go on as another one, without a frame that is not forwarded."""
        run.paths = tuple(other if each == path else each for each in run.paths)
        if run.forwarding:
            self.session.write(other.forwarding)

    def _load(self, run: _Run) -> None:
        self.session.write([entry for path in run.paths for entry in path.entries])
        self._runs[run.job] = run

    def _unload(self, runs: Sequence[_Run]) -> None:
        for run in runs:
            self.session.remove([entry for path in run.paths for entry in path.entries])
            del self._runs[run.job]

    def _stop(self, runs: Sequence[_Run]) -> None:
        forwarding = [run for run in runs if run.forwarding]
        self._stamping.stop([run.job for run in runs])
        self.session.remove([entry for run in forwarding for path in run.paths for entry in path.forwarding])
        for run in forwarding:
            run.end = tuple(read_path(self.session, path) for path in run.paths)
        self._hold_on_loss()

    def _read(self, run: _Run) -> Iterator[PathCounters]:
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
        self._links = Links(self.session)
        self._ports_began, self._macs = read_ports(self.session), self._read_macs()

    def _reached(self) -> AbstractContextManager[None]:
        return reached(self._lock, self.session, self._load_anew)

    def _load_anew(self) -> int:
        self._begin()
        self._traces.close()
        for run in self._runs.values():
            self._load(_Run(run.job, tuple(path.traced_as(0) for path in run.paths)))
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
