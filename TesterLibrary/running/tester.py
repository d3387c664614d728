# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An open tester with all that a trial needs of it, and how a trial is run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from ..errors import PlanError
from ..measurement.calibration import Calibration
from ..measurement.delays.correction import Correction, frame_time_ns
from ..measurement.evidence import EvidenceLimits
from ..measurement.session_trial import SessionTrial
from ..measurement.trial import Trial
from ..methodology.teardown import TeardownTrial
from ..model.forwarding import Forwarding
from ..model.membership import Membership
from ..model.plan.plan import Plan, PlannedStream
from ..model.ports import Address, Port
from ..model.stream import Stream
from ..model.units.units import Duration
from ..planning.rate import check_replayed_rate, check_sum, part_of_line
from ..reporting.record.finished_trials import Finished, measured_at
from ..reporting.record.progress import Console
from ..reporting.record.recorder import INVALID_ATTEMPT, Recorder
from ..targets.base import Capabilities, Target
from .at_large import AtLarge
from .clock import Clock
from .plans import Plans
from .scope import Running, Scopes
from .stream_ids import StreamIds
from .trial_parts import TrialParts

Measured = TypeVar("Measured")
Repeatable = TypeVar("Repeatable", SessionTrial, TeardownTrial)
_ANY_ERROR = Fraction(10**9)
_LOG = logging.getLogger(__name__)  # Robot writes it to its log


@dataclass(frozen=True)
class TrialRules:
    """How a trial is run when its keyword does not say otherwise."""

    attempts: int = 3  # at a trial in which the tester did not do its part
    respite: Duration = Duration(500_000_000)  # before the second attempt; twice that before the third
    settle: Duration = Duration(
        200_000_000
    )  # after so long without an arrival nothing more will come (RFC 2544 §23)
    residual: Duration = Duration(2 * 10**9)  # for so long frames that are missing are waited for (§23)
    grace: Duration = Duration(5_000_000_000)  # how much later than due the tester may answer
    longest: Duration = Duration(300 * 10**9)  # of arrivals after the last departure; beyond, it is a loop
    limits: EvidenceLimits = field(default_factory=EvidenceLimits)

    def repeated(
        self,
        measure: Callable[[int], Measured],
        is_final: Callable[[Measured], bool],
        clock: Clock,
        more: int = 0,
    ) -> Measured:
        """The measurement of the first attempt, from 1, that is final, or of the last one.

        `more`: attempts beyond those of the rules, for what is not final though the tester did its part.
        """
        measured = measure(1)
        for attempt in range(1, self.attempts + more):
            if is_final(measured):
                break
            clock.sleep(attempt * self.respite.seconds)  # the disturbance may be over by then
            measured = measure(attempt + 1)
        return measured


class LoadedStreams(Protocol):
    """Streams that are loaded as one job."""

    @property
    def streams(self) -> Sequence[Stream]:
        """As they leave now."""
        ...

    @property
    def is_started(self) -> bool:
        """Whether they are not only loaded."""
        ...

    @property
    def unending(self) -> Sequence[Stream]:
        """Those of them that leave until they are stopped."""
        ...

    @property
    def ids(self) -> Sequence[int]:
        """Their ids, one after the other."""
        ...

    def __contains__(self, stream: str) -> bool:
        """Whether one of them has that name."""
        ...

    def update(self, stream: Stream) -> None:
        """Changes how one of them leaves."""
        ...


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
    trials: int = 0  # the number of the last one
    on_air: list[LoadedStreams] = field(default_factory=list)  # not yet sending, sending, or done
    watchers: dict[str, list[Callable[[Trial], None]]] = field(default_factory=dict)  # by stream
    clock: Clock = field(default_factory=Clock)  # by which the tester is waited for
    scopes: Scopes = field(default_factory=Scopes)  # the suites and the test that run
    stream_ids: StreamIds = field(default_factory=StreamIds)
    trial_parts: TrialParts = field(default_factory=TrialParts)  # by which frames in captures are known
    at_large: AtLarge = field(default_factory=AtLarge)  # frames without signature that have not arrived
    forwarding: Forwarding = Forwarding.TRANSLATED  # how the device treats headers
    joined: set[Membership] = field(default_factory=set)  # what its ports have reported, and not left
    asked: set[Address] = field(default_factory=set)  # for which the device may ask: probed, and not known
    faults: list[str] = field(default_factory=list)  # where it fell short, trial by trial
    sent: Counter[str] = field(default_factory=Counter)  # frames of recorded trials, by stream
    off_pace: list[str] = field(default_factory=list)  # trials in which nothing was wrong but the rate
    plans: Plans = field(init=False)
    remarks: set[str] = field(default_factory=set)  # on plans, which have been logged
    device_is_new: bool = False  # made for this tester: nothing that was sent before has left a trace in it

    def __post_init__(self) -> None:
        self.plans = Plans(self)

    def plan(self, name: str, streams: Sequence[Stream]) -> Plan:
        """Plans streams as one job, with ids that no loaded job has and no recent job had.

        Equal streams have equal frames in every job but for their signature, which has the id in it.
        """
        on_air = [range(ids[0], ids[-1] + 1) for run in self.on_air if (ids := run.ids)]
        first_id = self.stream_ids.take(len(streams), on_air)
        return replace(self.plans.of_streams(streams, first_id), job=name)

    def check_room(self, streams: Sequence[Stream]) -> None:
        """Refuses streams beside those that leave already.

        Raises:
            PlanError: one of them is sending, or a port would be asked for more than its line carries.
        """
        for stream in streams:
            if any(stream.name in run for run in self.on_air):
                raise PlanError(f"stream {stream.name!r} is sending already; call Stop Traffic first")
        leaving = [stream for run in self.on_air for stream in run.unending]
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
        plan = self.plans.of_streams(streams, self._id_on_air(streams))
        if planner := self.target.planner:
            planner.check(plan)
        return plan

    def try_out(self, streams: Sequence[Stream]) -> None:
        """Loads streams and unloads them: PlanError for what the tester cannot send. No frame leaves."""
        plan = self.plan("check", streams)
        self.target.load(plan)
        self.target.unload([plan.job])

    def _id_on_air(self, streams: Sequence[Stream]) -> int:
        """The id of a stream that is loaded, with which it is planned again; 1 of others."""
        ids = {
            stream.name: number
            for run in self.on_air
            for stream, number in zip(run.streams, run.ids, strict=True)
        }
        return ids.get(streams[0].name, 1) if len(streams) == 1 else 1

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
        watchers = self.watchers.setdefault(stream, [])
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
        """The correction of the delays of a stream."""
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
        ports = [(p.name, p.driver, p.link_speed_bps, p.max_frame_size, p.reorders) for p in known.ports]
        joined = sorted(map(str, self.joined))
        rules = self.rules, self.seed, self.forwarding
        return known.target, known.version, ports, self.calibration, *rules, joined

    def next_trial(self) -> int:
        """The number of the trial that is run next."""
        self.trials += 1
        return self.trials

    def record(self, trial: Trial, **facts: object) -> Trial:
        """Numbers a trial, writes it down with facts for a next attempt at its test, and shows it."""
        trial = replace(trial, number=self.trials)
        faults = tuple(self._faults(trial))
        self.note_faults(faults)
        if trial.objections and not faults:
            self.off_pace.append("; ".join(trial.objections))
        self.sent.update({stream.name: stream.counters.tx_packets for stream in trial.streams})
        self.trial_parts.note(trial, self.recorder.place)
        self.recorder.trial(trial, seed=self.seed, **facts)
        self.progress.trial(trial)
        return trial

    def _faults(self, trial: Trial) -> Iterator[str]:
        """Why packets of a trial may be missing: all that objects to it but the error of its rate."""
        limits = self.rules.limits
        judged = set(trial.evidence.objections(limits))
        yield from trial.evidence.objections(replace(limits, max_rate_error=_ANY_ERROR))
        yield from (objection for objection in trial.objections if objection not in judged)

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

    def note_faults(self, objections: Iterable[str]) -> None:
        """Keeps why the tester did not do its part once, if there is a reason."""
        if fault := "; ".join(objections):
            self.faults.append(fault)

    def take_over(
        self, asked: str, kind: type[Measured], but: tuple[Running, ...] = ()
    ) -> Finished[Measured] | None:
        """The next trial of an interrupted attempt at this test; None if it has to be run.

        Trials are not taken over while anything runs that would have seen them, `but` such. Whoever takes one
        over records it again.
        """
        finished = self.recorder.finished
        found = finished.next(asked, kind)
        sending = any(run.unending for run in self.on_air)
        if found is None or sending or not self.scopes.is_quiet(Running.MEMBER, *but):
            return None
        finished.measured_at.append(found.measured_at)
        return found

    def taken_over(self, found: Finished[Trial]) -> Finished[Trial]:
        """A trial of streams that is taken over, recorded again, with its number in this attempt."""
        self.trials = max(self.trials + 1, found.found.number)
        trial = replace(found.found, number=self.trials)
        self.record_again(trial, found.record, found.folder)
        return replace(found, found=trial)

    def record_again(self, trial: Trial, record: Mapping[str, Any], folder: str) -> None:
        """Records a trial of another attempt at the test, from the folder that has it, and shows it."""
        kept = {key: record[key] for key in ("asked", "interruption") if key in record}
        self.recorder.trial(trial, seed=self.seed, taken_over=folder, measured_at=measured_at(record), **kept)
        self.progress.trial(trial)
