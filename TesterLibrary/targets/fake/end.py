# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A responder or clients of the fake: the reference interpreter, run on the fake's clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...measurement.delays.histogram import index_of
from ...measurement.snapshot import DurationCounters, EndCounters
from ...model.plan.planned_end import PlannedEnd
from ...protocols.flow import Flow
from ...protocols.frame import Frame, Malformed
from ...protocols.interpreter import Interpreter
from ...protocols.opener import Opener
from ...protocols.scope import layout_of

_MICROSECOND = 1000
_LATER = 1 << 62


class FakeEnd:
    """One end between its loading and its unloading. Times are nanoseconds of the fake's clock."""

    def __init__(self, job: str, planned: PlannedEnd) -> None:
        self.job, self.planned = job, planned
        self.answering = False
        self._layout = layout_of(planned.protocol.stack)
        self._begin(0)

    def _begin(self, now_ns: int) -> None:
        planned = self.planned
        self._start_ns = now_ns
        self._machine = Interpreter(
            planned.protocol, planned.parameters, seed=planned.seed, flow_capacity=planned.flow_capacity
        )
        self._machine.on_end = self._ended
        self._opener = Opener(planned.opening, self._machine) if planned.opening else None
        self._sent: list[bytes] = []
        self._counts: Counter[str] = Counter()
        self._most = 0

    def start(self, now_ns: int) -> None:
        """Starts it, with a new clock, no flows and counters of 0."""
        self._begin(now_ns)
        self.answering = True

    def end_flows(self, now_ns: int) -> None:
        """Ends its open flows as its table says, if that says anything of the kind."""
        if self.answering and any(row.event == "stop" for row in self.planned.protocol.layers[0].rows):
            self._sent += self._machine.stop(self._microseconds(now_ns))
            for flow in list(self._machine.flows.values()):
                self._ended(flow)
            self._machine.flows.clear()

    def stop(self) -> None:
        """Makes it silent from now on."""
        self.answering = False

    def due_ns(self) -> int:
        """When its next timer or opening is due."""
        if not self.answering:
            return _LATER
        dues = [self._machine.next_timer(), self._opener.due() if self._opener else None]
        return min((self._start_ns + due * _MICROSECOND for due in dues if due is not None), default=_LATER)

    def takes(self, octets: bytes) -> bool:
        """Whether a frame is for it."""
        if not self.answering:
            return False
        try:
            frame = Frame.parse(self._layout, octets)
        except Malformed as problem:
            return problem.ours and not self.planned.accepts
        return all(accept.holds(frame.get(accept.field)) for accept in self.planned.accepts)

    def receive(self, octets: bytes, now_ns: int, size: int) -> None:
        """Handles a frame for it, which has `size` bytes on the wire."""
        self._counts["rx_packets"] += 1
        self._counts["rx_bytes"] += size
        self._sent += self._machine.receive(octets, self._microseconds(now_ns))
        self._note_flows()

    def asked(self, octets: bytes) -> list[bytes]:
        """Its immediate answers to a question."""
        return self._machine.receive(octets, self._machine.now)

    def run(self, now_ns: int) -> None:
        """Runs the timers and openings that are due by now."""
        if self.answering:
            self._machine.advance(self._microseconds(now_ns))
            self._sent += self._machine.sent()
            if self._opener:
                self._sent += self._opener.run()
            self._note_flows()

    def take(self) -> list[bytes]:
        """The frames that it has sent since the last call."""
        sent, self._sent = self._sent, []
        return sent

    def count_sent(self, size: int) -> None:
        """Counts a frame of `size` bytes that has left."""
        self._counts["tx_packets"] += 1
        self._counts["tx_bytes"] += size

    def counters(self) -> EndCounters:
        """Its counters as they are now."""
        machine, opener, counts = self._machine, self._opener, self._counts
        layers = self.planned.protocol.layers
        going = len(machine.flows)
        return EndCounters(
            job=self.job,
            name=self.planned.name,
            answering=self.answering,
            opening=self.answering and opener is not None and opener.going,
            counters=tuple(
                machine.counted[layer][name]
                for layer, protocol in enumerate(layers)
                for name in protocol.counters
            ),
            histograms=tuple(
                _durations(machine.histograms.get(name, [])) for layer in layers for name in layer.histograms
            ),
            rx_packets=counts["rx_packets"],
            rx_bytes=counts["rx_bytes"],
            tx_packets=counts["tx_packets"],
            tx_bytes=counts["tx_bytes"],
            malformed=machine.counters["malformed"],
            openings=opener.openings if opener else 0,
            put_off=opener.put_off if opener else 0,
            flows_begun=counts["flows_ended"] + counts["flows_stopped"] + going,
            flows_ended=counts["flows_ended"],
            flows_failed=counts["failed"] + self._failing(machine.flows.values()),
            flows_stopped=counts["flows_stopped"],
            flows=going,
            most_flows=self._most,
            full=machine.full,
        )

    def _ended(self, flow: Flow) -> None:
        if flow.stopped:
            self._counts["flows_stopped"] += 1
            return
        self._counts["flows_ended"] += 1
        self._counts["failed"] += self._failing([flow])
        if self._opener:
            self._opener.ended(flow)

    def _failing(self, flows: Iterable[Flow]) -> int:
        """The number of failed flows; only flows that this end has opened count as failed."""
        return sum(flow.failed for flow in flows) if self._opener else 0

    def _note_flows(self) -> None:
        self._most = max(self._most, len(self._machine.flows))

    def _microseconds(self, now_ns: int) -> int:
        return (now_ns - self._start_ns) // _MICROSECOND


def _durations(values: list[int]) -> DurationCounters:
    if not values:
        return DurationCounters()
    buckets: dict[int, int] = {}
    for value in values:
        buckets[index_of(value)] = buckets.get(index_of(value), 0) + 1
    return DurationCounters(len(values), sum(values), min(values), max(values), buckets)
