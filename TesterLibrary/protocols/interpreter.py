# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a protocol's table, packet by packet, in a time that is given: what an engine has to do, exactly.

An event is looked up in the flow's state; the first row whose tests hold is done. Signals upwards are handled
at once, so that what was `consumed` is known; steps and scanners follow when the row is done and its next
state is reached; signals downwards after those; timers that are due, last.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping

from ..errors import PlanError
from ..model.expression import Expression
from ..model.protocol import (
    Act,
    Assign,
    Change,
    Compare,
    Count,
    Flags,
    Prefix,
    Protocol,
    Randomize,
    Record,
    Relation,
    Reply,
    Row,
    Say,
    Scan,
    Send,
    Signal,
    Skip,
    StartTimer,
    Step,
    StopTimer,
    Take,
    Test,
    Transmit,
)
from .automaton import Automaton, Progress
from .findings import unknown
from .flow import Flow, FlowKey, Layer
from .frame import Frame, Malformed
from .loader import quantity, too_wide
from .packet import InHand
from .scope import Scope
from .sender import Sender

_ROUNDS = 1000  # of rows for one event: more is a protocol that talks to itself
_CLOCK = (1 << 32) - 1


class Interpreter:
    """One end of a protocol on one port: frames in, frames out, without FCS.

    Args:
        protocol: As `load_protocol` gives it.
        parameters: Values for some of its parameters: numbers, addresses, times.
        seed: Of its random numbers.

    Raises:
        PlanError: a parameter that is not there or does not fit.
    """

    def __init__(
        self, protocol: Protocol, parameters: Mapping[str, object] | None = None, *, seed: int = 1
    ) -> None:
        self.protocol = protocol
        self.counters: Counter[str] = Counter()
        self.histograms: dict[str, list[int]] = {}
        self.flows: dict[FlowKey, Flow] = {}
        self.now = 0
        self._parameters = _parameters(protocol, parameters or {})
        self._scopes = [Scope(layer) for layer in protocol.layers]
        self._rows = [_rows(layer) for layer in protocol.layers]
        self._automata = {own.name: Automaton(own) for layer in protocol.layers for own in layer.scanners}
        self._random = random.Random(seed)
        self._sender = Sender(protocol)
        self._queue: deque[tuple[int, str]] = deque()
        self._rounds = 0

    def receive(self, octets: bytes, now: int) -> list[bytes]:
        """A frame arrives at `now` microseconds; timers due by then come first."""
        self.advance(now)
        try:
            frame = Frame.parse(self._scopes[0].layout, octets)
        except Malformed as problem:
            self.counters["malformed" if problem.ours else "foreign"] += 1
            return self._sender.take()
        key = self._key(frame.get)
        flow = self.flows.get(key) or self._flow(key)
        flow.meets(frame)
        self._handle(flow, 0, "packet", InHand(frame))
        return self._sender.take()

    def start(self, fields: Mapping[str, object], now: int) -> list[bytes]:
        """Opens a flow from this end; the fields that identify it are as in what this end sends.

        Args:
            fields: Of all `flow` fields, and of Ether.src and Ether.dst.
            now: Microseconds.
        """
        self.advance(now)
        sent = {name: quantity(value) for name, value in fields.items()}
        missing = [name for key in self.protocol.layers[0].flow for name in key if name not in sent]
        if missing:
            raise PlanError(f"a flow of {self.protocol.name} is known by {', '.join(missing)} too; give it")
        key = self._key(lambda name: sent[self._sender.opposite(name)])
        if key in self.flows:
            raise PlanError("there is such a flow already; end it, or start another")
        flow = self._flow(key)
        flow.link = {name: sent[name] for name in ("Ether.src", "Ether.dst") if name in sent}
        self._handle(flow, 0, "start", None)
        return self._sender.take()

    def advance(self, now: int) -> None:
        """Lets time pass; what timers send is had with `sent()`, or with what comes next."""
        if now < self.now:
            raise ValueError(
                f"{now} µs is before {self.now} µs, where the interpreter is; time never goes back"
            )
        while (due := self.next_timer()) is not None and due <= now:
            self.now = due
            flow = next(own for own in self.flows.values() if own.next_timer() == due)
            self._fire(flow)
        self.now = now

    def sent(self) -> list[bytes]:
        """What was sent since it was asked last."""
        return self._sender.take()

    def next_timer(self) -> int | None:
        """When the first timer is due, microseconds."""
        return min(
            (due for own in self.flows.values() if (due := own.next_timer()) is not None), default=None
        )

    def _flow(self, key: FlowKey) -> Flow:
        return Flow(key, tuple(Layer(own, self._parameters) for own in self.protocol.layers))

    def _key(self, read: Callable[[str], int]) -> FlowKey:
        return tuple(read(name) for key in self.protocol.layers[0].flow for name in key)

    def _handle(self, flow: Flow, layer: int, event: str, packet: InHand | None) -> None:
        """An event and all that follows from it; then the flow is kept, or forgotten."""
        self._rounds = 0
        self._dispatch(flow, layer, event, packet)
        while self._queue:
            self._dispatch(flow, *self._queue.popleft(), packet)
        if flow.layers[0].state == self.protocol.layers[0].initial:
            self.flows.pop(flow.key, None)
            return
        self.flows[flow.key] = flow
        if (due := flow.next_timer()) is not None and due <= self.now:
            self._fire(flow)

    def _fire(self, flow: Flow) -> None:
        """The first timer of a flow."""
        _, layer, name = min(
            (due, layer, name) for layer, own in enumerate(flow.layers) for name, due in own.timers.items()
        )
        del flow.layers[layer].timers[name]
        self._handle(flow, layer, name, None)

    def _dispatch(self, flow: Flow, layer: int, event: str, packet: InHand | None) -> None:
        self._rounds += 1
        if self._rounds > _ROUNDS:
            raise PlanError(
                f"{self.protocol.name}: {event!r} goes on without end in {flow.layers[layer].state!r}"
            )
        own = flow.layers[layer]
        for row in self._rows[layer].get((own.state, event), ()):
            context = _Context(self, flow, layer, packet)
            if all(context.holds(test) for test in row.tests):
                context.do(row)
                break


class _Context:
    """One row being done for one flow."""

    def __init__(self, whole: Interpreter, flow: Flow, layer: int, packet: InHand | None) -> None:
        self._whole, self._flow, self._layer, self._packet = whole, flow, layer, packet
        self._own = flow.layers[layer]
        self._scope = whole._scopes[layer]
        self._follow: list[str] = []

    def read(self, name: str) -> int:
        """A variable, parameter, fact or field."""
        if name in self._own.variables:
            return self._own.variables[name]
        if name in self._whole._parameters:
            return self._whole._parameters[name]
        if name == "now":
            return self._whole.now & _CLOCK
        if name in ("consumed", "scanned"):
            return self._flow.consumed if name == "consumed" else self._flow.scanned
        if name == "message.length":
            return self._flow.layers[self._layer + 1].message_length() if self._above else 0
        assert self._packet is not None, f"{name} without a packet"  # the checker has seen to it
        return self._packet.read(name)

    @property
    def _above(self) -> bool:
        return self._layer + 1 < len(self._flow.layers)

    def value(self, expression: Expression) -> int:
        """Exact."""
        return expression.value(self.read)

    def holds(self, test: Test) -> bool:
        """Whether the flow and the packet in hand are so."""
        if isinstance(test, Prefix):
            return self._packet is not None and self._packet.frame.payload.startswith(test.octets)
        if isinstance(test, Flags):
            letters = self._scope.layout.places[test.name].letters
            flags = {letter for bit, letter in enumerate(letters) if self.read(test.name) >> bit & 1}
            return flags.issuperset(test.set) and flags.isdisjoint(test.clear)
        return self._compare(test)

    def _compare(self, test: Compare) -> bool:
        bits = self._scope.compared_bits(test)
        mask, half = (1 << bits) - 1, 1 << (bits - 1)
        left, right = self.value(test.left) & mask, self.value(test.right) & mask
        ahead = (left - right) & mask
        return {
            Relation.IS: left == right,
            Relation.NOT: left != right,
            Relation.BELOW: left < right,
            Relation.AT_MOST: left <= right,
            Relation.ABOVE: left > right,
            Relation.AT_LEAST: left >= right,
            Relation.BEFORE: ahead >= half,
            Relation.NOT_AFTER: ahead == 0 or ahead >= half,
            Relation.AFTER: 0 < ahead < half,
            Relation.NOT_BEFORE: ahead < half,
        }[test.relation]

    def do(self, row: Row) -> None:
        """The actions, the next state, and what follows at once."""
        for action in row.actions:
            self._act(action.act)
        if row.to == self._own.protocol.initial:
            (self._own if self._layer else self._flow).reset()
        elif row.to:
            self._own.state = row.to
        for event in self._follow:
            self._whole._dispatch(self._flow, self._layer, event, self._packet)

    def _act(self, act: Act) -> None:
        whole, own = self._whole, self._own
        if isinstance(act, Assign):
            self._assign(act)
        elif isinstance(act, Randomize):
            own.variables.set(act.variable, whole._random.getrandbits(own.variables.bits(act.variable)))
        elif isinstance(act, Count):
            whole.counters[act.counter] += self.value(act.by)
        elif isinstance(act, Record):
            took = (whole.now - self.value(act.since)) & _CLOCK
            whole.histograms.setdefault(act.histogram, []).append(took)
        elif isinstance(act, StartTimer):
            own.timers[act.timer] = whole.now + self.value(act.microseconds)
        elif isinstance(act, StopTimer):
            own.timers.pop(act.timer, None)
        elif isinstance(act, Step):
            self._follow.append(act.step)
        elif isinstance(act, Signal):
            self._signal(act.signal)
        elif isinstance(act, Say):
            own.message = act.message
            whole._queue.append((self._layer - 1, "send"))
        elif isinstance(act, Send | Transmit):
            self._send(act)
        elif isinstance(act, Reply | Skip | Scan | Take):
            assert self._packet is not None  # the checker has seen to it
            self._with_packet(act, self._packet)

    def _assign(self, act: Assign) -> None:
        variables = self._own.variables
        now, value = variables[act.variable], self.value(act.to)
        variables.set(
            act.variable,
            {
                Change.SET: value,
                Change.ADD: now + value,
                Change.SUBTRACT: now - value,
                Change.LIMIT: min(now, value),
                Change.RAISE: max(now, value),
            }[act.change],
        )

    def _send(self, act: Send | Transmit) -> None:
        sender, flow = self._whole._sender, self._flow
        if isinstance(act, Send):
            sender.send(self._layer, act.template, flow, self.read)
        else:
            sender.transmit(self._layer, act, flow, self.read)

    def _with_packet(self, act: Reply | Skip | Scan | Take, packet: InHand) -> None:
        if isinstance(act, Reply):
            self._whole._sender.reply(act, packet, self.read)
        elif isinstance(act, Skip):
            packet.take(self.value(act.octets))
        elif isinstance(act, Take):
            taken = packet.take(self._own.variables[act.variable])
            self._own.variables.set(act.variable, self._own.variables[act.variable] - taken)
        else:
            self._scan(act.scanner, packet)

    def _scan(self, name: str, packet: InHand) -> None:
        automaton = self._whole._automata[name]
        progress = self._own.progress.get(name, Progress())
        scanned = automaton.scan(packet.left, progress, self._own.variables)
        self._own.progress[name] = scanned.progress
        self._flow.scanned = packet.take(scanned.taken)
        if scanned.ended:
            self._follow.append(name)
        elif scanned.overlong:
            self._follow.append(automaton.scanner.overlong)

    def _signal(self, signal: str) -> None:
        """Down: later. Up: now, and data again as long as something of it is taken."""
        whole = self._whole
        if signal not in self._own.protocol.up:
            whole._queue.append((self._layer - 1, signal))
            return
        packet = self._packet
        before = packet.taken if packet else 0
        if self._above:
            whole._dispatch(self._flow, self._layer + 1, signal, packet)
            if packet and signal == "data":
                last = before
                while packet.left and packet.taken > last:
                    last = packet.taken
                    whole._dispatch(self._flow, self._layer + 1, signal, packet)
        elif signal == "data" and packet:  # with nothing above, everything is taken
            packet.take(len(packet.left))
        elif signal == "ended":
            whole._queue.append((self._layer, "close"))
        self._flow.consumed = packet.taken - before if packet else 0


def _rows(protocol: Protocol) -> dict[tuple[str, str], tuple[Row, ...]]:
    events = dict.fromkeys(row.event for row in protocol.rows)
    return {(state, event): protocol.rows_for(state, event) for state in protocol.states for event in events}


def _parameters(protocol: Protocol, given: Mapping[str, object]) -> dict[str, int]:
    known = {own.name: own for layer in protocol.layers for own in layer.parameters}
    values = {name: own.default for name, own in known.items()}
    for name, value in given.items():
        if name not in known:
            raise PlanError(f"{protocol.name}: {unknown('parameter', name, known)}")
        values[name] = quantity(value)
        if not 0 <= values[name] < 1 << known[name].bits:
            raise PlanError(f"{protocol.name}: {name}: {too_wide(values[name], known[name].bits)}")
    return values
