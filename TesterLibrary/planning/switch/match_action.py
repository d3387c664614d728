# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers a protocol to match-action entries, reply templates and registers of a switch (norma §4).

A first pass reads the registers of a flow and finds the entry; a second one writes the next state, because a
register can be accessed once in a pass (§4.2). So a packet of the same flow that arrives between the two
still finds the old state (appendix A); tables must tolerate that. An answer waits in a queue for a template
of its kind (§4.3). A row that neither reads nor changes a flow bypasses the registers (§4.2, bypass).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from ...errors import PlanError
from ...model.action import Act
from ...model.condition import Compare, Test
from ...model.protocol import Protocol, Row
from ...protocols.actions.counting import Count
from ...protocols.actions.sending import Send
from ...protocols.actions.variables import Assign, Randomize
from ...protocols.conditions import PAYLOAD_LENGTH, Condition, condition, quantity, said
from ...protocols.diagram import act_text
from ...protocols.scope import NameScope, layout_of
from ...protocols.values import MaskedNumbers
from .chip import TOFINO, Chip
from .datagrams import SEEN, is_datagram, is_seen, reads_payload, seen_words
from .expectation import BEGUN, IN_ORDER, begun_variable, expected_variable
from .resources import FLOW_ID_BITS, PREFIX_OCTETS, QUEUE_ARRAY, QUEUES, excesses
from .timers import LOOKED_AT, STATE, starts_timer, timer_of

PADDED = 6  # bytes of payload from which on a segment of TCP without options is no shorter than a frame
_LENGTH, _LENGTH_BITS = quantity(PAYLOAD_LENGTH), 16


@dataclass(frozen=True)
class Ternary:
    """A match of values that have these bits under the mask."""

    key: str
    value: int
    mask: int


@dataclass(frozen=True)
class MatchEntry:
    """An entry of a table; entries with a lower priority number are tried first."""

    table: str  # packet, start, a timer or a step
    priority: int
    match: tuple[Ternary, ...]
    payload: bytes
    next_state: int
    actions: tuple[str, ...]
    sends: tuple[str, ...]  # queues of templates
    counts: tuple[str, ...]  # counters that it adds 1 to
    bypass: bool
    line: int
    measures: tuple[str, ...] = ()  # counters that it adds the bytes of the payload to
    restarts: bool = False  # the timer of its flow, where it does not change the state
    octets: int | None = None  # of each payload, where the match tells; None: what frames have beside headers


@dataclass(frozen=True)
class Queue:
    """The queue of one kind of template. All share an array; `number` is the low bits of its indices."""

    name: str
    number: int
    octets: bytes  # bytes of the template
    edits: tuple[tuple[str, str], ...]  # post-processing: fields and their new values

    def index(self, element: int) -> int:
        """The index in the shared array of element number `element`, from 0."""
        return element * QUEUES % QUEUE_ARRAY + self.number


@dataclass(frozen=True)
class MatchAction:
    """A protocol for a switch: registers, entries and queues."""

    protocol: Protocol
    registers: tuple[tuple[str, int], ...]
    entries: tuple[MatchEntry, ...]
    queues: tuple[Queue, ...]
    chip: Chip

    @property
    def passes(self) -> int:
        """The passes through the pipeline: a second one if anything is written."""
        return 1 if all(entry.bypass for entry in self.entries) else 2

    def record(self) -> dict[str, Any]:
        """The protocol as it is written to JSON."""
        return {
            "protocol": self.protocol.name,
            "target": self.chip.profile,
            "flow": [list(key) for key in self.protocol.layers[0].flow],
            "flow_id_bits": FLOW_ID_BITS if self.registers else 0,
            "passes": self.passes,
            "states": list(self.protocol.states),
            "registers": [{"name": name, "bits": bits} for name, bits in self.registers],
            "entries": [asdict(entry) | {"payload": entry.payload.hex()} for entry in self.entries],
            "queues": [asdict(queue) | {"octets": queue.octets.hex()} for queue in self.queues],
        }

    def summary(self) -> str:
        """A summary for people."""
        bits = sum(bits for _, bits in self.registers)
        tables = ", ".join(dict.fromkeys(entry.table for entry in self.entries))
        bypass = sum(entry.bypass for entry in self.entries)
        return (
            f"{self.protocol.name} on {self.chip.profile}: "
            f"{len(self.entries)} entries in the tables {tables}, {bypass} of them past the state; "
            f"{bits} bits for a flow, {len(self.queues)} queues of templates, {self.passes} passes"
        )


def require_room(protocol: Protocol, chip: Chip) -> None:
    """PlanError: each resource that a switch with this chip lacks for a checked protocol."""
    lacking = excesses(protocol, chip)
    if lacking:
        raise PlanError("\n".join(f"{excess.where}: not on {chip.profile}: {excess}" for excess in lacking))


def match_action(
    protocol: Protocol, parameters: Mapping[str, int] | None = None, chip: Chip = TOFINO
) -> MatchAction:
    """Lowers a checked protocol for a switch.

    Args:
        protocol: The checked protocol.
        parameters: The values that a job sets; parameters that it does not set have their defaults.
        chip: That of the switch.

    Raises:
        PlanError: each resource that the switch lacks, by line and by how much, and what to change.
    """
    if protocol.translated:
        raise PlanError(
            f"{protocol.name} over IPv6: the program of a switch has a table for one IP version; use a table "
            "that is written over IPv6, such as http-get-ipv6 or dns-one-ipv6"
        )
    require_room(protocol, chip)
    numbers = {parameter.name: parameter.default for parameter in protocol.parameters} | dict(
        parameters or {}
    )
    return MatchAction(
        protocol=protocol,
        registers=tuple(one for one in protocol.registers() if one[0] not in protocol.timers),
        entries=tuple(_entries(protocol, numbers)),
        queues=tuple(_queues(protocol, numbers)),
        chip=chip,
    )


def _entries(protocol: Protocol, numbers: Mapping[str, int]) -> Iterator[MatchEntry]:
    """The entries of all rows, with parameters as numbers."""
    scope, timer = NameScope(protocol), timer_of(protocol)
    for event in dict.fromkeys(row.event for row in protocol.rows):
        priority = 0
        for number, state in enumerate(protocol.states):
            found = (
                Ternary("state", number | LOOKED_AT, STATE | LOOKED_AT)
                if event == timer
                else Ternary("state", number, STATE)
            )
            for row in protocol.rows_for(state, event):
                tested = condition((_with_numbers(test, numbers) for test in row.tests), scope)
                counts = [action.act for action in row.actions if isinstance(action.act, Count)]
                measures = tuple(count.counter for count in counts if count.by == PAYLOAD_LENGTH)
                sends = tuple(a.act.template for a in row.actions if isinstance(a.act, Send))
                for match, octets in _matches(tested, protocol, apart=bool(measures)):
                    if is_datagram(protocol):
                        match = tuple(_in_words(match, tested.prefix, protocol, sends))
                    yield MatchEntry(
                        table=event,
                        priority=priority,
                        match=(found, *match) if len(protocol.states) > 1 else match,
                        payload=b"" if is_datagram(protocol) else tested.prefix,
                        next_state=number if row.to is None else protocol.states.index(row.to),
                        actions=tuple(act_text(action.act) for action in row.actions),
                        sends=sends,
                        counts=tuple(count.counter for count in counts if count.by != PAYLOAD_LENGTH),
                        bypass=_passes_by(protocol, state, row, scope),
                        line=row.line,
                        measures=measures,
                        restarts=event != timer and starts_timer(row),
                        octets=octets,
                    )
                    priority += 1


def _matches(
    tested: Condition, protocol: Protocol, *, apart: bool
) -> Iterator[tuple[tuple[Ternary, ...], int | None]]:
    """The matches of a row, each with the length of its payloads where they have one.

    Args:
        tested: The row's condition.
        protocol: The table.
        apart: Whether payloads are measured: those of padded frames are, each length by a match of its own.
    """
    values = tested.allowed.get(_LENGTH, MaskedNumbers.all(_LENGTH_BITS))
    padded = MaskedNumbers.between(_LENGTH_BITS, 0, PADDED - 1) & values
    longer = MaskedNumbers.between(_LENGTH_BITS, PADDED, (1 << _LENGTH_BITS) - 1)
    for length in padded.each() if apart else ():
        exact = MaskedNumbers.between(_LENGTH_BITS, length, length)
        for match in ternaries(_with_length(tested, exact)):
            yield _kept(match, protocol), length
    if apart and padded.count < PADDED:  # or else all that is shorter was matched before
        values &= longer
    for match in ternaries(_with_length(tested, values)):
        yield _kept(match, protocol), None


def _with_length(tested: Condition, values: MaskedNumbers) -> Condition:
    """A condition with other lengths of payloads; all that a prefix can be found in are no test."""
    looked_at = MaskedNumbers.between(_LENGTH_BITS, PREFIX_OCTETS, (1 << _LENGTH_BITS) - 1)
    allowed = {one: found for one, found in tested.allowed.items() if one != _LENGTH}
    seen = looked_at if tested.prefix else MaskedNumbers.all(_LENGTH_BITS)
    return Condition(allowed if seen.within(values) else {**allowed, _LENGTH: values}, tested.prefix)


def _kept(match: tuple[Ternary, ...], protocol: Protocol) -> tuple[Ternary, ...]:
    """A match in which tests of what a switch keeps beside the state are keys of the program."""
    expected, begun = expected_variable(protocol), begun_variable(protocol)
    keys = {
        f"TCP.seq - {expected}": Ternary(IN_ORDER, 1, 1),
        f"{expected} - TCP.seq": Ternary(IN_ORDER, 1, 1),
    }
    return tuple(
        replace(one, key=BEGUN, mask=0xFF) if one.key == begun else keys.get(one.key, one) for one in match
    )


def _in_words(
    match: Iterable[Ternary], prefix: bytes, protocol: Protocol, sends: Collection[str]
) -> Iterator[Ternary]:
    """A match in which fields behind UDP, and the payload, are words; those of answers have to be there."""
    behind = [one for one in match if is_seen(protocol, one.key)]
    yield from (one for one in match if one not in behind)
    words = seen_words(protocol, ((one.key, one.value, one.mask) for one in behind), prefix)
    if any(reads_payload(template) for template in protocol.templates if template.name in sends):
        words = {SEEN: (1, 1)} | words
    yield from (Ternary(key, value, mask) for key, (value, mask) in words.items())


def _with_numbers(test: Test, numbers: Mapping[str, int]) -> Test:
    if not isinstance(test, Compare):
        return test
    return replace(test, left=test.left.with_constants(numbers), right=test.right.with_constants(numbers))


def ternaries(tested: Condition) -> Iterator[tuple[Ternary, ...]]:
    """Entries that together match a condition: a range takes several entries, two ranges their product.

    What a job's parameters decide alone is no key: either it holds, or there are no entries.
    """
    if not tested.possible:
        return iter(())
    choices = [
        [Ternary(said(quantity), value, mask) for value, mask in cover(values)]
        for quantity, values in tested.allowed.items()
        if said(quantity)
    ]
    return product(*choices)


def cover(values: MaskedNumbers) -> Sequence[tuple[int, int]]:
    """The fewest values with masks that match these numbers; for numbers with fixed bits, those bits."""
    top = (1 << values.bits) - 1
    if values.mask:
        if values.intervals != ((0, top),):
            return [(value, top) for value in values.each()]
        return [(values.value, values.mask)]
    found = []
    for first, last in values.intervals:
        while first <= last:
            size = first & -first or 1 << values.bits
            while first + size - 1 > last:
                size >>= 1
            found.append((first, top & ~(size - 1)))
            first += size
    return found


def _passes_by(protocol: Protocol, state: str, row: Row, scope: NameScope) -> bool:
    """Whether a row neither reads nor changes the state of a flow."""
    stays = row.to in (None, state) and state == protocol.initial
    reads = {
        name
        for test in row.tests
        if isinstance(test, Compare)
        for side in (test.left, test.right)
        for name in side.names
    } | {name for action in row.actions for name in _reads(protocol, action.act)}
    writes = any(isinstance(action.act, Assign | Randomize) for action in row.actions)
    steps = any(hasattr(action.act, "step") for action in row.actions)
    return stays and not writes and not steps and reads.isdisjoint(scope.variables)


def _reads(protocol: Protocol, act: Act) -> Iterator[str]:
    expressions = list(act.expressions)
    if isinstance(act, Send):
        template = next(template for template in protocol.templates if template.name == act.template)
        expressions += [value for _, value in template.fields]
        expressions += [value for option in template.options for value in option.values]
    for expression in expressions:
        yield from expression.names


def _queues(protocol: Protocol, numbers: Mapping[str, int]) -> Iterator[Queue]:
    for number, template in enumerate(protocol.templates):
        layout = layout_of(template.headers)
        flow = [(name, "of the flow") for key in protocol.flow for name in key if name in layout.places]
        edits = tuple((name, str(value.with_constants(numbers))) for name, value in template.fields)
        octets = b"".join(header.octets for header in layout.headers) + template.payload
        yield Queue(template.name, number, octets, (*flow, *edits))


def row_key(quantity: str) -> str:
    """The key for a quantity: `TCP.flags` becomes tcp_flags."""
    return quantity.lower().replace(".", "_")


def reply_action(protocol: Protocol, number: int) -> str:
    """The action of the reply with this number, from 0: it sends the packet in hand back."""
    return f"{protocol.name.replace('-', '_')}_reply_{number}"


def row_action(protocol: Protocol, template: str) -> str:
    """The action of a row that sends a template."""
    return f"{protocol.name.replace('-', '_')}_{template}"
