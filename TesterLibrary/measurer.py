# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs trials on a target: plan, load, learn, send, settle, count, judge the tester, record."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from fractions import Fraction

from .errors import PlanError, TargetError
from .measurement.calibration import Calibration
from .measurement.correction import Correction, frame_time_ns
from .measurement.departure import rate_error
from .measurement.evidence import Evidence, EvidenceLimits
from .measurement.flows import FlowMeasure, FlowSummary
from .measurement.snapshot import Snapshot, StreamCounters
from .measurement.trial import StreamResult, Trial
from .model.job import Job
from .model.plan import Plan, PlannedStream
from .model.ports import Port
from .model.stream import Stream
from .model.units import MIN_FRAME_SIZE, Duration, Rate, RateUnit
from .planning.compile import compile as compile_job
from .reporting.progress import Progress
from .reporting.recorder import Recorder
from .targets.base import Capabilities, Target
from .targets.base import Progress as Sent

_HOPELESS = Fraction(1, 10)  # a rate missed by more is the tester's limit, not an accident
_POLL_SECONDS = 0.02
_RFC_2544_WAIT_NS = 2 * 10**9  # for residual frames (§23)
_SLOWER = 2  # times the slowest frame so far


@dataclass(frozen=True)
class TrialRules:
    """How a trial is run when its keyword does not say otherwise."""

    attempts: int = 3  # of a trial in which the tester did not do its part
    respite: Duration = Duration(500_000_000)  # before the second attempt; twice that before the third
    settle: Duration = Duration(
        200_000_000
    )  # nothing has arrived for so long: nothing more will (RFC 2544 §23)
    grace: Duration = Duration(5_000_000_000)  # the tester may answer so much later than it should
    limits: EvidenceLimits = field(default_factory=EvidenceLimits)


@dataclass
class Bench:
    """An open tester with all that a trial needs of it."""

    target: Target
    capabilities: Capabilities
    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]
    recorder: Recorder
    progress: Progress
    rules: TrialRules = field(default_factory=TrialRules)
    seed: int = 1
    backlog_drops: Callable[[], int] = lambda: 0  # of this machine's kernel before an embedded device
    calibration: Calibration | None = None  # of the tester's own delay
    trials: int = 0  # run so far; numbers trials and varies their seeds
    on_air: list[Run] = field(default_factory=list)  # what is sending, or has been and is not unloaded
    watchers: dict[str, list[Callable[[Trial], None]]] = field(default_factory=dict)  # by stream
    _next_id: int = 1

    def plan(self, name: str, streams: Sequence[Stream]) -> Plan:
        """Plans streams as one job. Ids are not reused soon, so frames of earlier jobs are foreign."""
        job = Job(name, tuple(streams), seed=self.seed * 1_000_003 + self._next_id)
        if self._next_id + len(streams) > 0xFFFF:
            self._next_id = 1
        plan = compile_job(
            job,
            ports=self.ports,
            gateways=self.gateways,
            max_streams=self.capabilities.max_streams,
            first_id=self._next_id,
        )
        self._next_id += len(plan.streams)
        return plan

    def replan(self, plan: Plan, stream_id: int, stream: Stream) -> PlannedStream:
        """A stream of a plan after a change, with the id and the signature that it had."""
        (planned,) = compile_job(
            Job(plan.job, (stream,), plan.seed),
            ports=self.ports,
            gateways=self.gateways,
            max_streams=1,
            first_id=stream_id,
        ).streams
        return planned

    def part_of_line(self, stream: Stream) -> Fraction:
        """The rate of a stream as part of its port's line rate; 0 where only the tester knows it."""
        if stream.as_captured:
            return Fraction(0)
        speed, size = self.ports[stream.tx].speed, stream.frame_size.mean
        return stream.rate.frames_per_second(size, speed) / speed.frames_per_second(size)

    def correction(self, stream: PlannedStream) -> Correction:
        """What is to be taken off the delays of a stream."""
        ports = [self.capabilities.port(name) for name in (stream.tx_port, stream.rx_port)]
        size = round(stream.frame_size)
        on_line = frame_time_ns(size, ports[0].link_speed_bps)
        if self.calibration is None or self.calibration.drivers != tuple(sorted(p.driver for p in ports)):
            return Correction(frame_time_ns=on_line)
        return Correction(*self.calibration.at(size), calibrated=True, frame_time_ns=on_line)

    def delay_objections(self, corrections: Iterable[Correction]) -> Iterator[str]:
        """Why delays that were corrected like this are not to be trusted."""
        if self.calibration and any(correction.calibrated for correction in corrections):
            age = Duration.parse(self.calibration.age(datetime.now(timezone.utc)))
            most = Duration(self.rules.limits.max_calibration_age_ns)
            if age > most:
                yield f"the tester was calibrated {age} ago (limit {most}); call Calibrate Tester again"

    def record(self, trial: Trial) -> Trial:
        """Numbers a trial, writes it down and shows it."""
        trial = replace(trial, number=self.trials)
        self.recorder.trial(trial)
        self.progress.trial(trial)
        return trial


class Run:
    """Streams from being loaded to being counted; what `Start Traffic` puts on the wire."""

    def __init__(self, bench: Bench, name: str, streams: Sequence[Stream]) -> None:
        self._bench = bench
        self.name = name
        self.streams = tuple(streams)
        self.plan = bench.plan(name, streams)
        self._started_at = ""
        self._before: Snapshot | None = None
        self._changed: set[int] = set()  # ids of streams that were changed while they were sending
        self._backlog_before = 0

    @contextmanager
    def loaded(self) -> Iterator[Run]:
        """Loads, and unloads whatever happens, so that no half-run job stays behind."""
        self.load()
        try:
            yield self
        finally:
            self.unload()

    def load(self) -> None:
        """Loads the job and sends its learning frames."""
        target = self._bench.target
        target.load(self.plan)
        try:
            target.inject(self.plan.learning)
        except BaseException:
            self.unload()
            raise

    def __contains__(self, stream: str) -> bool:
        return any(s.name == stream for s in self.streams)

    def update(self, stream: Stream) -> None:
        """Changes how one of its streams leaves, while it is sending."""
        planned = next(s for s in self.plan.streams if s.name == stream.name)
        changed = self._bench.replan(self.plan, planned.id, stream)
        self._bench.target.update(self.name, changed)
        self._changed.add(planned.id)
        streams = tuple(changed if s is planned else s for s in self.plan.streams)
        self.plan = replace(self.plan, streams=streams)
        self.streams = tuple(stream if s.name == stream.name else s for s in self.streams)

    def unload(self) -> None:
        """Forgets the job. A tester that is gone has forgotten it; whoever asks it next is told."""
        if self in self._bench.on_air:
            self._bench.on_air.remove(self)
        with suppress(TargetError):
            self._bench.target.unload([self.name])

    def start(self, duration: Duration | None = None, packets: int | None = None) -> None:
        """Starts all streams together, for a time, for so many frames each, or until they are stopped."""
        self._before = self._bench.target.snapshot([self.name])
        self._backlog_before = self._bench.backlog_drops()
        self._started_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._bench.target.start([self.name], duration=duration, packets=packets)
        self._bench.on_air.append(self)

    def report(self, progress: Sent) -> None:
        """Tells those who want to know of its streams, while it is sending, what has come of them so far."""
        watchers = [watch for s in self.streams for watch in self._bench.watchers.get(s.name, ())]
        if watchers and progress.sending:
            so_far = self._trial(self._bench.target.snapshot([self.name]), None)
            for watch in watchers:
                watch(so_far)

    def finish(self, duration: Duration | None = None) -> Trial:
        """Waits until what was sent has arrived or is lost; returns the trial, not yet recorded."""
        trial = self._trial(self._settled(), duration)
        flows = [self.flows(s) if s.flows else None for s in self.plan.streams]
        streams = zip(trial.streams, flows, strict=True)
        return replace(trial, streams=tuple(replace(s, flows=found) for s, found in streams))

    def flows(self, stream: PlannedStream, most: int = 10, by: FlowMeasure = FlowMeasure.LOSS) -> FlowSummary:
        """The flows of one of its streams as they are now, and so many of the worst."""
        return FlowSummary.of(self._bench.target.flows(self.name, stream.id), most, by)

    def _trial(self, after: Snapshot, duration: Duration | None) -> Trial:
        assert self._before is not None, "start() has read the counters before"
        evidence = self.evidence(self._before, after)
        counters = {s.id: after.stream(s.id) for s in self.plan.streams}
        sending_ns = duration.ns if duration else _sending_ns(counters.values())
        corrections = [self._bench.correction(s) for s in self.plan.streams]
        return Trial(
            load=_busiest(self.streams, [self._bench.part_of_line(s) for s in self.streams]),
            duration_ns=sending_ns,
            streams=tuple(
                replace(_result(s, counters[s.id], sending_ns, self._changed), correction=correction)
                for s, correction in zip(self.plan.streams, corrections, strict=True)
            ),
            evidence=evidence,
            objections=tuple(evidence.objections(self._bench.rules.limits)),
            delay_objections=tuple(self._bench.delay_objections(corrections)),
            started_at=self._started_at,
        )

    def evidence(self, before: Snapshot, after: Snapshot) -> Evidence:
        """What the tester did for this run between two snapshots."""
        dropped = self._bench.backlog_drops() - self._backlog_before
        return Evidence.between(self.plan, before, after, changed=self._changed, backlog_dropped=dropped)

    def _measured(self, snapshot: Snapshot) -> list[StreamCounters]:
        """Of streams whose frames are known again where they arrive."""
        return [snapshot.stream(s.id) for s in self.plan.streams if s.measured]

    def _settled(self) -> Snapshot:
        """The counters once nothing has arrived for the settling time; at once when nothing is missing."""
        target, rules = self._bench.target, self._bench.rules
        snapshot = target.snapshot([self.name])
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < _settling_s(snapshot, rules.settle):
            time.sleep(_POLL_SECONDS)
            latest = target.snapshot([self.name])
            if _received(latest) != _received(snapshot):
                quiet_since = time.monotonic()
            elif all(s.rx_packets - s.order.duplicated >= s.tx_packets for s in self._measured(latest)):
                return latest
            snapshot = latest
        return snapshot


class TrialMeasurer:
    """The `Measurer` of the procedures.

    A load is that of the busiest port; streams keep the proportions of their own rates. So two streams
    of equal rates on one port get half of it each, and on two ports all of either.
    """

    def __init__(
        self, bench: Bench, streams: Sequence[Stream], *, note: Callable[[Trial], None] = lambda _: None
    ) -> None:
        self._bench = bench
        self._note = note
        self.streams = tuple(streams)
        parts = [bench.part_of_line(stream) for stream in streams]
        self.load = _busiest(streams, parts)  # of the streams at their own rates
        if not self.load and not any(stream.as_captured for stream in streams):
            names = ", ".join(repr(stream.name) for stream in streams)
            raise PlanError(f"the rate of {names} is 0, so nothing would be sent; give a rate above 0")
        self._shares = [part / (self.load or 1) for part in parts]

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """One trial, again while the tester did not do its part and there is hope that it will."""
        bench, rules = self._bench, self._bench.rules
        rates = [Rate(load * share, RateUnit.LINE) for share in self._shares]
        streams = [stream.at(rate) for stream, rate in zip(self.streams, rates, strict=True)]
        bench.trials += 1
        for attempt in range(1, rules.attempts + 1):
            trial = bench.record(replace(self._once(streams, duration), load=load, attempt=attempt))
            self._note(trial)
            if trial.valid or attempt == rules.attempts or _is_hopeless(trial.evidence):
                break
            time.sleep(attempt * rules.respite.seconds)  # what disturbed it may be over by then
        return trial

    def _once(self, streams: Sequence[Stream], duration: Duration) -> Trial:
        bench = self._bench
        try:
            with Run(bench, f"trial-{bench.trials}", streams).loaded() as run:
                run.start(duration)
                late = max(duration.ns // 5, bench.rules.grace.ns)
                bench.target.wait(
                    [run.name],
                    timeout=Duration(duration.ns + late),
                    on_progress=lambda sent: self._show(run, sent),
                )
                return run.finish(duration)
        except TargetError as error:
            bench.recorder.event("trial_cut_short", number=bench.trials, reason=error.reason)
            raise

    def _show(self, run: Run, sent: Sent) -> None:
        run.report(sent)
        if sent.intended_packets:
            self._bench.progress.sending(sent.tx_packets / sent.intended_packets)


def _sending_ns(counters: Collection[StreamCounters]) -> int:
    """From the first departure to the last."""
    return max(1, max(c.last_tx_ns for c in counters) - min(c.first_tx_ns for c in counters))


def _result(
    planned: PlannedStream, counted: StreamCounters, sending_ns: int, changed: Collection[int]
) -> StreamResult:
    """What a stream did; where only the tester knew its frames and rate, they follow from what it counted."""
    size = planned.frame_size or Fraction(counted.tx_bytes, max(1, counted.tx_packets))
    return StreamResult(
        name=planned.name,
        tx_port=planned.tx_port,
        rx_port=planned.rx_port,
        frame_size=max(MIN_FRAME_SIZE, round(size)),
        sizes=planned.mix,
        intended_rate=planned.frames_per_second or Fraction(counted.intended_packets * 10**9, sending_ns),
        counters=counted,
        rate_error=rate_error(None if planned.id in changed else planned.departures, counted),
        measured=planned.measured,
    )


def _busiest(streams: Sequence[Stream], parts: Sequence[Fraction]) -> Fraction:
    """The load of the port that is asked to send most."""
    load: dict[str, Fraction] = {}
    for stream, part in zip(streams, parts, strict=True):
        load[stream.tx] = load.get(stream.tx, Fraction(0)) + part
    return max(load.values())


def _settling_s(snapshot: Snapshot, least: Duration) -> float:
    """A device that was slow may be slow again; one that has sent nothing yet has the RFC's two seconds."""
    if not any(_received(snapshot)):
        return max(least.ns, _RFC_2544_WAIT_NS) / 1e9
    return max(least.ns, _SLOWER * max(s.latency.max_ns for s in snapshot.streams)) / 1e9


def _received(snapshot: Snapshot) -> list[int]:
    return [s.rx_packets + s.rx_misrouted for s in snapshot.streams]


def _is_hopeless(evidence: Evidence) -> bool:
    return evidence.shortfall > _HOPELESS or abs(evidence.rate_error) > _HOPELESS
