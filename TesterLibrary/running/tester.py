# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An open tester with all that a trial needs of it, and how a trial is run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from fractions import Fraction
from typing import TypeVar

from ..errors import PlanError
from ..measurement.calibration import Calibration
from ..measurement.delays.correction import Correction, frame_time_ns
from ..measurement.session_trial import SessionTrial
from ..measurement.trial import Trial
from ..methodology.teardown import TeardownTrial
from ..model.plan.plan import Plan, PlannedStream
from ..model.ports import Forwarding, Port
from ..model.stream import Stream
from ..model.units.units import Duration
from ..planning.rate import check_replayed_rate, check_sum, part_of_line
from ..reporting.record.finished_trials import Finished
from ..reporting.record.progress import Console
from ..reporting.record.recorder import INVALID_ATTEMPT, Recorder
from ..targets.base import Capabilities, Target
from .air import Air
from .clock import Clock
from .evidence import TesterEvidence
from .plans import Plans
from .scope import Running, Scopes
from .trial_rules import TrialRules

Measured = TypeVar("Measured")
Repeatable = TypeVar("Repeatable", SessionTrial, TeardownTrial)
_ANY_ERROR = Fraction(10**9)
_LOG = logging.getLogger(__name__)  # Robot writes it to its log


@dataclass
class Tester:
    """An open tester with all that a trial needs of it."""

    target: Target
    capabilities: Capabilities
    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]
    recorder: Recorder
    progress: Console
    rules: TrialRules = field(default_factory=TrialRules)
    seed: int = 1
    backlog_drops: Callable[[], int] = lambda: 0  # drops by this machine's kernel before an embedded device
    calibration: Calibration | None = None  # of the tester's own delay
    clock: Clock = field(default_factory=Clock)  # by which the tester is waited for
    scopes: Scopes = field(default_factory=Scopes)  # the suites and the test that run
    forwarding: Forwarding = Forwarding.TRANSLATED  # how the device treats headers
    plans: Plans = field(init=False)
    evidence: TesterEvidence = field(init=False)
    air: Air = field(init=False)
    remarks: set[str] = field(default_factory=set)  # on plans, which have been logged
    device_is_new: bool = False  # made for this tester: nothing that was sent before has left a trace in it

    def __post_init__(self) -> None:
        self.plans, self.evidence, self.air = Plans(self), TesterEvidence(self), Air()

    def plan(self, name: str, streams: Sequence[Stream]) -> Plan:
        """Plans streams as one job, with ids that no loaded job has and no recent job had.

        Equal streams have equal frames in every job but for their signature, which has the id in it.
        """
        first_id = self.air.take_ids(len(streams))
        return replace(self.plans.of_streams(streams, first_id), job=name)

    def check_room(self, streams: Sequence[Stream]) -> None:
        """Refuses streams beside those that leave already.

        Raises:
            PlanError: one of them is sending, or a port would be asked for more than its line carries.
        """
        for stream in streams:
            if any(stream.name in run for run in self.air.runs):
                raise PlanError(f"stream {stream.name!r} is sending already; call Stop Traffic first")
        leaving = self.air.unending
        for port in {stream.tx for stream in streams}.intersection(stream.tx for stream in leaving):
            sharing = [stream for stream in (*leaving, *streams) if stream.tx == port]
            try:
                check_sum(self.ports[port], sharing)
            except PlanError as error:
                names = ", ".join(stream.name for stream in leaving if stream.tx == port)
                raise PlanError(f"{error}. Call Stop Traffic for {names}, or ask for less") from None

    def check_lines(self, streams: Sequence[Stream]) -> None:
        """Refuses streams that ask a port for more than its line carries: PlanError, which names them."""
        for port in dict.fromkeys(stream.tx for stream in streams):
            check_sum(self.ports[port], [stream for stream in streams if stream.tx == port])

    def check(self, streams: Sequence[Stream]) -> Plan:
        """Plans streams together for their errors, as a job of a tester that has no other one.

        Raises:
            PlanError: this tester cannot send them.
        """
        for stream in streams:
            check_replayed_rate(stream)
        loaded_id = self.air.id_of(streams[0].name) if len(streams) == 1 else None
        plan = self.plans.of_streams(streams, loaded_id or 1)
        if planner := self.target.planner:
            planner.check(plan)
        return plan

    def try_out(self, streams: Sequence[Stream]) -> None:
        """Loads streams and unloads them: PlanError for what the tester cannot send. No frame leaves."""
        plan = self.plan("check", streams)
        self.target.load(plan)
        self.target.unload([plan.job])

    def load(self, plan: Plan) -> None:
        """Loads a plan. Each of its remarks is logged and recorded once."""
        self.target.load(plan)
        for remark in (*plan.remarks, *self._untold(plan)):
            if remark not in self.remarks:
                self.remarks.add(remark)
                _LOG.info("%s", remark)
                self.recorder.event("remark", job=plan.job, text=remark)

    def _untold(self, plan: Plan) -> Iterator[str]:
        """The ports of a plan whose drivers do not tell which frames they hold."""
        for name in sorted({stream.tx_port for stream in plan.streams} | {end.port for end in plan.ends}):
            interface = self.capabilities.port(name).interface
            if interface.startswith("pci:"):
                yield (
                    f"port {name} ({interface}): its driver does not tell which frames wait in its transmit "
                    "ring; up to 2,048 may leave after a trial has ended"
                )

    def replan(self, stream_id: int, stream: Stream) -> PlannedStream:
        """A loaded stream after a change, with its id and signature; it goes on at once."""
        going = replace(stream, start_after=Duration(0))
        (planned,) = self.plans.of_streams([going], stream_id).streams
        return planned

    def watch(self, stream: str, told: Callable[[Trial], None]) -> None:
        """Calls `told` with the trial so far while a stream is sent, until the current scope ends."""
        watchers = self.air.watchers.setdefault(stream, [])
        watchers.append(told)

        def forget() -> str:
            watchers.remove(told)
            return ""

        self.scopes.at_end(forget)

    def part_of_line(self, stream: Stream) -> Fraction:
        """The rate of a stream as part of its port's line rate; 0 where only the tester knows it."""
        rate = stream.average_rate
        return part_of_line(rate, stream.frame_size, self.ports[stream.tx].speed) if rate else Fraction(0)

    def busiest(self, streams: Sequence[Stream]) -> Fraction:
        """The load of the port that is asked to send most."""
        load: dict[str, Fraction] = {}
        for stream in streams:
            load[stream.tx] = load.get(stream.tx, Fraction(0)) + self.part_of_line(stream)
        return max(load.values())

    def highest_load(self, streams: Sequence[Stream]) -> Fraction | None:
        """The load that the tester sustains by its calibration, part of line rate; None where none is known.

        It is that of the port that reaches its highest rate first, where loads are shared as streams share
        them now.
        """
        drivers = {port.name: port.driver for port in self.capabilities.ports}
        calibrated = self.calibration
        busiest = self.busiest(streams)
        if calibrated is None or not busiest:
            return None
        part: dict[str, Fraction] = {}
        for stream in streams:
            if calibrated.drivers != tuple(sorted((drivers[stream.tx], drivers[stream.rx]))):
                return None
            size, speed = stream.frame_size.mean, self.ports[stream.tx].speed
            highest = calibrated.highest_pps(round(size))
            if not highest:
                return None
            asked = self.part_of_line(stream) / busiest * speed.frames_per_second(size)
            part[stream.tx] = part.get(stream.tx, Fraction(0)) + asked / highest
        return min(Fraction(1), 1 / max(part.values()))

    def correction(self, stream: PlannedStream) -> Correction:
        """The correction of the delays of a stream, with their error by the clocks of two testers."""
        correction = self._calibrated(stream)
        return replace(correction, spread_ns=correction.spread_ns + self._clock_error_ns(stream))

    def between_clocks(self, plan: Plan) -> set[int]:
        """The ids of streams whose delays are measured by the clocks of two testers."""
        return {stream.id for stream in plan.streams if self._clock_error_ns(stream)}

    def clock_error_ns(self, plan: Plan) -> int | None:
        """The greatest error of clocks that measure streams of a plan; None with one tester."""
        if self.target.clocks is None:
            return None
        return max((self._clock_error_ns(stream) for stream in plan.streams), default=0)

    def _clock_error_ns(self, stream: PlannedStream) -> int:
        return self.target.clocks.error_ns(stream) if self.target.clocks else 0

    def _calibrated(self, stream: PlannedStream) -> Correction:
        ports = [self.capabilities.port(name) for name in (stream.tx_port, stream.rx_port)]
        size = round(stream.frame_size)
        on_line = frame_time_ns(size, ports[0].link_speed_bps)
        step = self.capabilities.time_step_ns
        if self.calibration is None or self.calibration.drivers != tuple(sorted(p.driver for p in ports)):
            return Correction(frame_time_ns=on_line, time_step_ns=step)
        calibrated = self.calibration.at(size)
        return Correction(*calibrated, calibrated=True, frame_time_ns=on_line, time_step_ns=step)

    def delay_objections(self, corrections: Iterable[Correction]) -> Iterator[str]:
        """Why delays that were corrected like this are not to be trusted."""
        if self.calibration and any(correction.calibrated for correction in corrections):
            age = Duration.parse(self.calibration.age(datetime.now(timezone.utc)))
            most = Duration(self.rules.limits.max_calibration_age_ns)
            if age > most:
                yield f"the tester was calibrated {age} ago (limit {most}); call Calibrate Tester again"

    def order_objections(self, streams: Iterable[PlannedStream]) -> Iterator[str]:
        """Why the order in which frames of streams were received may be the tester's doing.

        One flow comes in by one channel of an interface, in order; several flows come in by several.
        """
        arriving = {s.rx_port for s in streams if len(s.frames) > 1 or s.editors}
        for port in map(self.capabilities.port, sorted(arriving)):
            if port.reorders:
                yield (
                    "the order of frames may have been changed by the tester's port "
                    f"{port.name}: {port.reorders}"
                )

    @property
    def identity(self) -> Sequence[object]:
        """All that a trial depends on but its streams, and addresses of interfaces that open anew."""
        known = self.capabilities
        ports = [
            (p.name, p.driver, p.link_speed_bps, p.max_frame_size, p.reorders, p.queue_cpus)
            for p in known.ports
        ]
        joined = sorted(map(str, self.air.joined))
        rules = self.rules, self.seed, self.forwarding
        return known.target, known.version, ports, self.calibration, *rules, joined

    def repeated(self, name: str, measure: Callable[[], Repeatable]) -> Repeatable:
        """The first valid measurement of clients or a responder, or the last that the rules allow.

        Each one that is repeated is recorded, shown, and named in the one that is returned.
        """
        earlier: list[str] = []

        def attempt(number: int) -> Repeatable:
            trial = measure()
            if not trial.valid and number < self.rules.attempts:
                text = f"attempt {number} does not count: {'; '.join(trial.objections)}"
                self.recorder.event(
                    INVALID_ATTEMPT, end=name, attempt=number, reasons=trial.objections, trial=trial
                )
                self.progress.invalid_attempt(f"{name}: {text}")
                _LOG.info("%s: %s; it measured: %s", name, text, trial)
                earlier.append(text)
                return trial
            return replace(trial, earlier_attempts=tuple(earlier))

        return self.rules.repeated(attempt, lambda trial: trial.valid, self.clock)

    def lost_tags(self, port: str) -> str:
        """Why frames that arrive at a port may have lost their VLAN tag; empty if they have not."""
        reason = self.capabilities.port(port).loses_tags
        return reason and f"port {port}: {reason}"

    def take_over(
        self, asked: str, kind: type[Measured], but: tuple[Running, ...] = ()
    ) -> Finished[Measured] | None:
        """The next trial of an interrupted attempt at this test; None if it has to be run.

        Trials are not taken over while anything runs that would have seen them, `but` such. Whoever takes one
        over records it again.
        """
        finished = self.recorder.finished
        found = finished.next(asked, kind)
        sending = self.air.unending
        if found is None or sending or not self.scopes.is_quiet(Running.MEMBER, *but):
            return None
        finished.measured_at.append(found.measured_at)
        return found
