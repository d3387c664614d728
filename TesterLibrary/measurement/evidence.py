# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Proof that the tester itself did its part, for one trial."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..model.plan.plan import Plan, PlannedStream
from ..model.units.number import percent, were
from .counter import increase, total
from .departure import held_up, lost_crowded, missing, pauses_text, rate_error
from .port_evidence import PortEvidence, link_objection, links_down, port_evidence, port_objections
from .snapshot import ClockCounters, Snapshot, StreamCounters, WorkerCounters

_CAPTURED_ERROR_NS = 50_000  # of the time from the first to the last frame of a file
_BURST_ERROR, _BURST_ERROR_NS = Fraction(1, 10), 100_000  # of the time that a burst takes; either will do


@dataclass(frozen=True)
class EvidenceLimits:
    """Beyond these a trial is invalid. Read from `resources/criteria/evidence.yaml`."""

    max_shortfall: Fraction = Fraction(1, 1000)  # of the intended frames
    max_rate_error: Fraction = Fraction(1, 100)  # of the intended rate, first departure to last
    max_tester_drops: int = 0  # frames lost in the tester's own rings, buffers and interfaces
    max_worker_gap_ns: int = 50_000_000
    max_pause_ns: int = 1_000_000  # pause of a worker, after which a burst may have lost frames
    max_clock_drift: Fraction = Fraction(1, 10_000)
    max_backlog_drops: int = 0  # in the kernel's queue before an embedded device, if frames are missing
    max_steal: Fraction = Fraction(1, 20)  # part of the time that a hypervisor took from this machine
    max_links_down: int = 0  # ports of the streams whose link was down
    max_calibration_age_ns: int = 168 * 3600 * 10**9  # age of the calibration by which delays are corrected

    def of_burst(self, span_ns: Fraction) -> EvidenceLimits:
        """The limits for a burst of that length: stamps of few frames tell less than those of many."""
        return replace(self, max_rate_error=max(self.max_rate_error, _BURST_ERROR, _BURST_ERROR_NS / span_ns))

    def of_captured(self, span_ns: Fraction) -> EvidenceLimits:
        """The limits for frames of a file that take that long in all."""
        return replace(self, max_rate_error=max(self.max_rate_error, _CAPTURED_ERROR_NS / span_ns))


@dataclass(frozen=True)
class Evidence:
    """The tester's report on itself over one trial. Frames are summed over streams and ports.

    What the tester does not count is None, and no objection rests on it.
    """

    intended_packets: int
    offered_packets: int
    rate_error: Fraction  # (offered rate - intended rate) / intended rate
    tx_refused: int | None  # frames that a port refused; they were offered again, so none is missing
    rx_missed: int | None  # frames lost at the port, before the tester saw them
    kernel_dropped: int | None  # frames lost at the tester's own interfaces
    worst_worker_gap_ns: int | None
    worst_lateness_ns: int
    clock_drift: Fraction | None
    lost_packets: int = 0
    unmeasured_packets: int = 0  # frames that were sent, and whose arrival nobody counts
    burst_packets: int = 0  # most frames sent back to back after pauses, which made them late
    lost_crowded: int | None = None  # lost frames that left after pauses; None: burst_packets bounds them
    given_up_packets: int | None = None  # of the intended frames: they were late for too long to be sent
    backlog_dropped: int = 0  # frames lost by this machine's kernel before an embedded device
    waited_ns: int | None = None  # longest time that a worker waited for its CPU
    steal: Fraction | None = None  # part of the time that a hypervisor took
    capture_dropped: int = 0  # frames that captures had no room for; they are in the measurement
    links_down: tuple[str, ...] = ()  # ports whose link was down, at least for a time
    ports: tuple[PortEvidence, ...] = ()
    meddling: tuple[str, ...] = ()  # interference by others with what was asked of the streams
    clock_error_ns: int | None = None  # of the clocks of several testers, to each other; None: there is one

    @classmethod
    def between(
        cls,
        plan: Plan,
        before: Snapshot,
        after: Snapshot,
        *,
        changed: Collection[int] = (),
        backlog_dropped: int = 0,
        clock_error_ns: int | None = None,
    ) -> Evidence:
        """The evidence between two snapshots, for the streams of a plan and on their ports.

        `changed` are the ids of streams that were changed while they were sending; `backlog_dropped` are
        frames that the kernel dropped meanwhile on their way into an embedded device; `clock_error_ns` is by
        how much starts of testers may differ, and delays between them may be wrong.
        """
        counters = [after.stream(stream.id) for stream in plan.streams]
        earlier, job = before.job(plan.job), after.job(plan.job)
        names = {port for stream in plan.streams for port in (stream.tx_port, stream.rx_port)}
        ports = [(before.port(name), after.port(name)) for name in sorted(names)]
        streams = list(zip(plan.streams, counters, strict=True))
        return cls(
            intended_packets=sum(c.intended_packets for c in counters),
            offered_packets=sum(c.tx_packets for c in counters),
            rate_error=_worst_rate_error(streams, changed),
            tx_refused=total(increase(a.tx_refused, b.tx_refused) for a, b in ports),
            rx_missed=total(increase(a.rx_missed, b.rx_missed) for a, b in ports),
            kernel_dropped=total(increase(a.kernel_dropped, b.kernel_dropped) for a, b in ports),
            worst_worker_gap_ns=job.worst_gap_ns(earlier) if job else None,
            worst_lateness_ns=max((c.worst_lateness_ns for c in counters), default=0),
            clock_drift=_worst_drift(before, after),
            lost_packets=sum(missing(c) for s, c in streams if s.measured),
            unmeasured_packets=sum(c.tx_packets for s, c in streams if not s.measured),
            burst_packets=sum(held_up(c, s.rate, EvidenceLimits.max_pause_ns) for s, c in streams),
            lost_crowded=total(lost_crowded(c) for s, c in streams if s.measured),
            given_up_packets=total(c.given_up_packets for c in counters),
            backlog_dropped=backlog_dropped,
            waited_ns=waited_ns(before, after),
            steal=_steal(before, after),
            capture_dropped=_capture_dropped(before, after),
            links_down=links_down(before, after, names),
            ports=port_evidence(before, after, names),
            meddling=_meddling(plan, before, after),
            clock_error_ns=clock_error_ns,
        )

    @property
    def shortfall(self) -> Fraction:
        """The part of the intended frames that was never sent."""
        if self.intended_packets == 0:
            return Fraction(0)
        return Fraction(self.intended_packets - self.offered_packets, self.intended_packets)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what the device did to the ports besides forwarding; they are no objections."""
        return tuple(remark for port in self.ports for remark in port.remarks())

    def _drop_objections(self, limits: EvidenceLimits) -> Iterator[str]:
        missed, dropped = self.rx_missed or 0, self.kernel_dropped or 0
        if missed + dropped > limits.max_tester_drops:
            yield (
                f"{were(missed + dropped, 'frame')} lost in the tester's own rings and interfaces "
                f"(limit {limits.max_tester_drops}): {missed} in its receive queues, {dropped} by the kernel"
            )

    def objections(self, limits: EvidenceLimits) -> Iterator[str]:
        """Each reason why the trial is not to be trusted, with the value and its limit."""
        yield from self.meddling
        yield from link_objection(self.links_down, limits.max_links_down)
        if self.intended_packets == 0:
            yield "no frame was to be sent"
        if self.missed_rate(limits):
            yield (
                f"the tester sent {self.offered_packets:,} of {self.intended_packets:,} frames "
                f"with a rate error of {percent(self.rate_error, 3, '+')} "
                f"(limit {percent(limits.max_rate_error, 3)}){self._given_up_text()}"
            )
        yield from self._drop_objections(limits)
        yield from port_objections(self.ports, limits.max_tester_drops)
        if self.lost_packets:
            yield from backlog_objection(
                self.backlog_dropped, f"{were(self.lost_packets, 'frame')} lost", limits
            )
        elif self.unmeasured_packets:
            what = f"nobody counts how many of {self.unmeasured_packets} frames arrived"
            yield from backlog_objection(self.backlog_dropped, what, limits)
        yield from gap_objection(self.worst_worker_gap_ns, self.waited_ns, limits)
        if self.steal is not None and self.steal > limits.max_steal:
            yield (
                f"the hypervisor took {percent(self.steal, 1)} of the time from this machine "
                f"(limit {percent(limits.max_steal, 1)})"
            )
        if self.lost_by_pause(limits):
            burst = str(self.burst_packets) if self.lost_crowded is None else ""
            pauses = pauses_text(self.worst_lateness_ns, burst)
            yield f"{were(self.lost_packets, 'frame')} lost, and {pauses}"
        if self.clock_drift and abs(self.clock_drift) > limits.max_clock_drift:
            yield (
                f"the tester's clock drifted by {float(self.clock_drift) * 1e6:+.1f} ppm "
                f"(limit {float(limits.max_clock_drift) * 1e6:.1f} ppm)"
            )

    def lost_by_pause(self, limits: EvidenceLimits) -> bool:
        """Whether all frames that were lost left after pauses of the tester, or may have."""
        if not self.lost_packets:
            return False
        if self.lost_crowded is not None:
            return self.lost_packets <= self.lost_crowded
        return self.worst_lateness_ns > limits.max_pause_ns and self.lost_packets <= self.burst_packets

    def _given_up_text(self) -> str:
        if not self.given_up_packets:
            return ""
        return (
            f"; {were(self.given_up_packets, 'frame')} not sent, since the tester slept, or its port took "
            "no frames, for more than 50 ms"
        )

    def missed_rate(self, limits: EvidenceLimits) -> bool:
        """Whether the tester could not reach the offered rate: then a search takes it as its upper bound."""
        return self.shortfall > limits.max_shortfall or abs(self.rate_error) > limits.max_rate_error


def backlog_objection(dropped: int, missing: str, limits: EvidenceLimits) -> Iterator[str]:
    """Frames that this machine's kernel dropped before an embedded device, where some are missing."""
    if dropped > limits.max_backlog_drops:
        yield (
            f"{missing}, and this machine's kernel dropped {dropped} in its input queue "
            f"(net.core.netdev_max_backlog) before the embedded device (limit {limits.max_backlog_drops})"
        )


def gap_objection(gap_ns: int | None, waited: int | None, limits: EvidenceLimits) -> Iterator[str]:
    """The objection to a worker that did not look at its ports for too long, if there is one."""
    if gap_ns and gap_ns > limits.max_worker_gap_ns:
        yield (
            f"a worker did not run for {gap_ns / 1e6:.1f} ms "
            f"(limit {limits.max_worker_gap_ns / 1e6:.1f} ms); in all, the kernel had its CPU do "
            f"something else for {(waited or 0) / 1e6:.1f} ms"
        )


def waited_ns(before: Snapshot, after: Snapshot) -> int | None:
    """The longest time that a worker waited for its CPU."""
    return _grown(before, after, lambda worker: worker.waited_ns)


def _meddling(plan: Plan, before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    job, names = after.job(plan.job), {stream.id: stream.name for stream in plan.streams}
    return tuple(job.meddling(before.job(plan.job), names)) if job else ()


def _worst_rate_error(
    streams: Sequence[tuple[PlannedStream, StreamCounters]], changed: Collection[int]
) -> Fraction:
    errors = (rate_error(None if s.id in changed else s.departures, c) for s, c in streams)
    return max(errors, key=abs, default=Fraction(0))


def _worst_drift(before: Snapshot, after: Snapshot) -> Fraction | None:
    if not after.clocks:
        return _drift(before.clock, after.clock)
    drifts = [_drift(before.clocks.get(name), clock) for name, clock in after.clocks.items()]
    return max((drift for drift in drifts if drift is not None), key=abs, default=None)


def _drift(before: ClockCounters | None, after: ClockCounters | None) -> Fraction | None:
    if before is None or after is None:
        return None
    elapsed = after.raw_now_ns - before.raw_now_ns
    ticked = after.engine_now_ns - before.engine_now_ns
    return Fraction(ticked - elapsed, elapsed) if elapsed > 0 else Fraction(0)


def _grown(before: Snapshot, after: Snapshot, of: Callable[[WorkerCounters], int]) -> int | None:
    """The growth of a counter at the worker where it grew most; None without workers."""
    earlier = {worker.lcore: of(worker) for worker in before.workers}
    return max((of(worker) - earlier.get(worker.lcore, 0) for worker in after.workers), default=None)


def _capture_dropped(before: Snapshot, after: Snapshot) -> int:
    dropped = {capture.name: capture.dropped for capture in before.captures}
    return sum(max(0, c.dropped - dropped.get(c.name, 0)) for c in after.captures)


def _steal(before: Snapshot, after: Snapshot) -> Fraction | None:
    stolen = _grown(before, after, lambda worker: worker.steal_ns)
    if before.clock is None or after.clock is None or stolen is None:
        return None
    elapsed = after.clock.raw_now_ns - before.clock.raw_now_ns
    return Fraction(stolen, elapsed) if elapsed > 0 else Fraction(0)
