# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a protocol's table packet by packet, at given times: the exact reference for what an engine does.

An event is looked up in the flow's state; the first row whose tests hold is done. Signals upwards are handled
at once, so that what was `consumed` is known; steps and scanners follow when the row is done and its next
state is reached; signals downwards after those; timers that are due, last.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from heapq import heappop, heappush

from ..errors import PlanError
from ..model.action import Fields
from ..model.condition import Test
from ..model.expression import Expression
from ..model.protocol import LONGEST_TIMER, Protocol, Row
from ..model.units.splitmix import splitmix64
from .actions.sending import Transmit
from .automaton import ScanProgress, automaton_of
from .document_reader import quantity
from .flow import Flow, FlowKey, Layer, Variables
from .frame import Frame, Malformed
from .packet import InHand
from .parameters import parameter_values
from .reading import CLOCK, Reading
from .scope import NameScope
from .sender import Sender

_ROUNDS = 1000  # rows done for one event; with more the protocol raises events without end


class Interpreter:
    """One end of a protocol on one port: frames in, frames out, without FCS.

    Args:
        protocol: The protocol, from `load_protocol`.
        parameters: Values for some of its parameters: numbers, addresses, times.
        seed: Seed of its random numbers.
        flow_capacity: The most flows at one time; 0: no limit.

    Raises:
        PlanError: a parameter that is not there or does not fit.
    """

    def __init__(
        self,
        protocol: Protocol,
        parameters: Mapping[str, object] | None = None,
        *,
        seed: int = 1,
        flow_capacity: int = 0,
    ) -> None:
        self.protocol = protocol
        self.counters: Counter[str] = Counter()
        self.counted: tuple[Counter[str], ...] = tuple(Counter() for _ in protocol.layers)  # per table
        self.histograms: dict[str, list[int]] = {}
        self.flows: dict[FlowKey, Flow] = {}
        self.on_end: Callable[[Flow], None] = lambda _flow: None  # called when a flow that was kept ends
        self.full = 0  # packets and starts that were refused because the flow capacity was reached
        self.now = 0
        self._parameters = parameter_values(protocol, parameters or {})
        self._scopes = [NameScope(layer) for layer in protocol.layers]
        self._rows = [_rows(layer) for layer in protocol.layers]
        self._automata = {
            scanner.name: automaton_of(scanner) for layer in protocol.layers for scanner in layer.scanners
        }
        self._seed, self._draws = seed, 0
        self._flow_capacity = flow_capacity
        self._sender = Sender(protocol)
        self._queue: deque[tuple[int, str]] = deque()
        self._rounds = 0
        self._begun = 0
        self._stopping = False
        self._timers: list[tuple[int, int, FlowKey]] = []  # the next timer of each flow; older entries stay

    def receive(self, octets: bytes, now: int) -> list[bytes]:
        """A frame arrives at `now` microseconds; timers due by then come first."""
        self.advance(now)
        try:
            frame = Frame.parse(self._scopes[0].layout, octets)
        except Malformed as problem:
            self.counters["malformed" if problem.ours else "foreign"] += 1
            return self._sender.take()
        key = self._key(frame.get)
        if key not in self.flows and (self._stopping or self._is_full()):
            return self._sender.take()
        flow = self.flows.get(key) or self._flow(key)
        flow.meets(frame)
        self._handle(flow, 0, "packet", InHand(frame))
        return self._sender.take()

    def start(self, fields: Mapping[str, object], now: int) -> list[bytes]:
        """Opens a flow from this end; the fields that identify it are as in what this end sends.

        Args:
            fields: Values of all `flow` fields, and of Ether.src and Ether.dst.
            now: The time in microseconds.
        """
        self.advance(now)
        key = self.key_of(fields)
        if key in self.flows:
            raise PlanError("there is such a flow already; end it, or start another")
        if self._is_full():
            return self._sender.take()
        flow = self._flow(key)
        flow.link = {name: quantity(fields[name]) for name in ("Ether.src", "Ether.dst") if name in fields}
        self._handle(flow, 0, "start", None)
        return self._sender.take()

    def stop(self, now: int) -> list[bytes]:
        """Ends what is open: each flow gets the event `stop`.

        A flow in a state without a row for it ends silently. Flows that go on, because their rows wait for an
        answer, go on as before; packets of other flows are ignored from now on.
        """
        self.advance(now)
        self._stopping = True
        for flow in list(self.flows.values()):
            flow.stopped = True
            if self._rows[0].get((flow.layers[0].state, "stop")):
                self._handle(flow, 0, "stop", None)
            else:
                flow.reset()
                self._settle(flow)
        return self._sender.take()

    def key_of(self, fields: Mapping[str, object]) -> FlowKey:
        """The key of a flow, given its fields as this end sends them. PlanError if one is missing."""
        sent = {name: quantity(value) for name, value in fields.items()}
        missing = [name for key in self.protocol.layers[0].flow for name in key if name not in sent]
        if missing:
            raise PlanError(f"a flow of {self.protocol.name} is known by {', '.join(missing)} too; give it")
        return self._key(lambda name: sent[self._sender.opposite(name)])

    def advance(self, now: int) -> None:
        """Lets time pass. Frames that timers send are returned by `sent()`, or with the next frames."""
        if now < self.now:
            raise ValueError(
                f"{now} µs is before {self.now} µs, where the interpreter is; time never goes back"
            )
        while (due := self.next_timer()) is not None and due <= now:
            self.now = due
            self._fire(self.flows[self._timers[0][2]])
        self.now = now

    def sent(self) -> list[bytes]:
        """The frames that were sent since the last call."""
        return self._sender.take()

    def next_timer(self) -> int | None:
        """When the first timer is due, in microseconds; at equal times the oldest flow comes first."""
        while self._timers:
            due, number, key = self._timers[0]
            flow = self.flows.get(key)
            if flow and (flow.next_timer(), flow.number) == (due, number):
                return due
            heappop(self._timers)
        return None

    def _is_full(self) -> bool:
        full = 0 < self._flow_capacity <= len(self.flows)
        self.full += full
        return full

    def _flow(self, key: FlowKey) -> Flow:
        return Flow(key, tuple(Layer(layer, self._parameters) for layer in self.protocol.layers))

    def _random(self, bits: int) -> int:
        """A random number of at least so many bits."""
        draws = range(self._draws, self._draws + (2 if bits > 64 else 1))
        self._draws = draws.stop
        return sum(splitmix64(self._seed, draw) << 64 * place for place, draw in enumerate(draws))

    def _key(self, read: Callable[[str], int]) -> FlowKey:
        return tuple(read(name) for key in self.protocol.layers[0].flow for name in key)

    def _handle(self, flow: Flow, layer: int, event: str, packet: InHand | None) -> None:
        """Handles an event and all that follows from it."""
        self._rounds = 0
        flow.consumed = flow.scanned = 0
        self._dispatch(flow, layer, event, packet)
        while self._queue:
            self._dispatch(flow, *self._queue.popleft(), packet)
        self._settle(flow)

    def _settle(self, flow: Flow) -> None:
        """Keeps the flow, or forgets it; fires its timers that are due."""
        if flow.layers[0].state == self.protocol.layers[0].initial:
            if self.flows.pop(flow.key, None):
                self.on_end(flow)
            return
        if flow.key not in self.flows:
            self._begun += 1
            flow.number = self._begun
            self.flows[flow.key] = flow
        due = flow.next_timer()
        if due is not None and due <= self.now:
            self._fire(flow)
        elif due is not None:
            heappush(self._timers, (due, flow.number, flow.key))

    def _fire(self, flow: Flow) -> None:
        """Handles the first timer of a flow."""
        _, index, name = min(
            (due, index, name)
            for index, layer in enumerate(flow.layers)
            for name, due in layer.timers.items()
        )
        del flow.layers[index].timers[name]
        self._handle(flow, index, name, None)

    def _dispatch(self, flow: Flow, layer: int, event: str, packet: InHand | None) -> None:
        self._rounds += 1
        if self._rounds > _ROUNDS:
            raise PlanError(
                f"{self.protocol.name}: {event!r} goes on without end in {flow.layers[layer].state!r}"
            )
        state = flow.layers[layer].state
        for row in self._rows[layer].get((state, event), ()):
            context = _Context(self, flow, layer, packet)
            if all(context.holds(test) for test in row.tests):
                context.do(row)
                break


class _Context:
    """The execution of one row for one flow."""

    def __init__(self, whole: Interpreter, flow: Flow, layer: int, packet: InHand | None) -> None:
        self._whole, self._flow, self._index, self._packet = whole, flow, layer, packet
        self._layer = flow.layers[layer]
        self._scope = whole._scopes[layer]
        self._reading = Reading(self._scope, whole._parameters, flow, layer, packet, now=whole.now)
        self._read = self._reading.read
        self._follow: list[str] = []

    def holds(self, test: Test) -> bool:
        """Whether a test holds for the flow and the packet in hand."""
        return self._reading.holds(test)

    @property
    def _above(self) -> bool:
        return self._index + 1 < len(self._flow.layers)

    def do(self, row: Row) -> None:
        """Does the actions of a row, goes to its next state, and handles the events that follow at once."""
        for action in row.actions:
            action.act.run(self)
        if row.to == self._layer.protocol.initial:
            (self._layer if self._index else self._flow).reset()
        elif row.to:
            self._layer.state = row.to
        for event in self._follow:
            self._whole._dispatch(self._flow, self._index, event, self._packet)

    @property
    def variables(self) -> Variables:
        """The variables of the table."""
        return self._layer.variables

    @property
    def packet(self) -> InHand:
        """The packet in hand."""
        assert self._packet is not None  # the checker has seen to it
        return self._packet

    def value(self, expression: Expression) -> int:
        """The exact value of an expression."""
        return self._reading.value(expression)

    def random(self, bits: int) -> int:
        """A random number of at least so many bits."""
        return self._whole._random(bits)

    def start(self, timer: str, microseconds: int) -> None:
        """Starts or restarts a timer."""
        self._layer.timers[timer] = self._whole.now + max(0, min(microseconds, LONGEST_TIMER))

    def stop(self, timer: str) -> None:
        """Stops a timer, if it runs."""
        self._layer.timers.pop(timer, None)

    def count(self, counter: str, by: Expression) -> None:
        """Adds to a counter."""
        value = self.value(by) & ((1 << self._scope.counted_bits(by)) - 1)
        self._flow.failed |= counter in self._layer.protocol.failures
        self._whole.counters[counter] += value
        self._whole.counted[self._index][counter] += value

    def record(self, histogram: str, since: int) -> None:
        """Adds the time since then to a histogram."""
        self._whole.histograms.setdefault(histogram, []).append((self._whole.now - since) & CLOCK)

    def follow(self, event: str) -> None:
        """Raises an event of the table once the row is done."""
        self._follow.append(event)

    def say(self, message: str) -> None:
        """Gives the table below a message."""
        self._layer.message = message
        self._whole._queue.append((self._index - 1, "send"))

    def send(self, template: str) -> None:
        """Sends a template."""
        self._whole._sender.send(self._index, template, self._flow, self._read)

    def transmit(self, act: Transmit) -> None:
        """Sends as much of the message as a Transmit allows."""
        self._whole._sender.transmit(self._index, act, self._flow, self._read)

    def reply(
        self, fields: Fields, swaps: tuple[tuple[str, str], ...], keep: Expression | None, append: bytes
    ) -> None:
        """Sends the packet in hand back."""
        self._whole._sender.reply(self.packet, self._read, fields, swaps, keep, append)

    def scan(self, name: str) -> None:
        """Runs a scanner over the payload."""
        automaton, packet = self._whole._automata[name], self.packet
        progress = self._layer.progress.get(name, ScanProgress())
        scanned = automaton.scan(packet.seen, progress, self._layer.variables)
        self._layer.progress[name] = scanned.progress
        self._flow.scanned = packet.take(scanned.taken)
        if scanned.ended:
            self._follow.append(name)
        elif scanned.overlong:
            self._follow.append(automaton.scanner.overlong)

    def signal(self, signal: str) -> None:
        """Queues a signal down; handles one up at once, `data` again while the table above takes some."""
        whole = self._whole
        if signal not in self._layer.protocol.up:
            whole._queue.append((self._index - 1, signal))
            return
        packet = self._packet
        before = packet.taken if packet else 0
        if self._above:
            whole._dispatch(self._flow, self._index + 1, signal, packet)
            if packet and signal == "data":
                last = before
                while packet.left and packet.taken > last:
                    last = packet.taken
                    whole._dispatch(self._flow, self._index + 1, signal, packet)
        elif signal == "data" and packet:  # with nothing above, everything is taken
            packet.take(packet.left)
        elif signal == "ended":
            whole._queue.append((self._index, "close"))
        self._flow.consumed = packet.taken - before if packet else 0


def _rows(protocol: Protocol) -> dict[tuple[str, str], tuple[Row, ...]]:
    events = dict.fromkeys(row.event for row in protocol.rows)
    return {(state, event): protocol.rows_for(state, event) for state in protocol.states for event in events}
