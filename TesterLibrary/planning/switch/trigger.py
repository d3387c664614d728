# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers in a switch: entries for what they wait for, and a template that becomes the frame (HyperTester
§5.3).

A packet that hits an entry is counted down where it arrives, and asks inside for the template of its trigger,
as a packet of a protocol does. Any program runs them: nothing of a trigger is compiled in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import PlanError
from ...model.condition import Prefix
from ...model.expression import Expression
from ...model.planned_end import PlannedEnd
from ...model.template import Template
from ...protocols.actions.sending import Reply, Send
from ...protocols.conditions import Condition, condition
from ...protocols.scope import NameScope, layout_of
from .answers import tcp_frame
from .match_action import Ternary, ternaries
from .resources import REPLY_ROWS
from .starts import CARRIED

# Fields that an entry tests.
TESTED = ("IP.src", "IP.dst", "IP.ttl", "TCP.sport", "TCP.dport", "TCP.flags", "TCP.window")
NINTH_FLAG = "TCP.reserved"  # its lowest bit
TRIGGERED = "TCP"  # the header by which its packets are known
_STACK = ["Ether", "IP", TRIGGERED]
_MOST = (1 << 32) - 1  # packets that a register counts down
_WORD = 1 << 32

_Sum = tuple[str, ...]  # names that are added, in their order
_LABELS: dict[_Sum, str] = {
    (): "constant",
    ("TCP.seq",): "seq",
    ("TCP.ack",): "ack",
    ("TCP.seq", "payload.length"): "end",
}
# Fields that a queue carries to a template, and the fields of the packet that they are.
_CARRIED_SWAPPED = {
    "IP.src": "IP.dst",
    "IP.dst": "IP.src",
    "TCP.sport": "TCP.dport",
    "TCP.dport": "TCP.sport",
}
_ADDRESSES = {"Ether.dst": "Ether.src", "Ether.src": "Ether.dst"}


@dataclass(frozen=True)
class Asking:
    """An action by which a packet asks for the template of a trigger: the sums that `CARRIED` are."""

    seq: _Sum
    ack: _Sum

    @property
    def name(self) -> str:
        """Its name in the program."""
        return f"trigger_{_LABELS[self.seq]}_{_LABELS[self.ack]}"


ASKINGS = tuple(Asking(seq, ack) for seq in list(_LABELS)[:-1] for ack in _LABELS)


@dataclass(frozen=True)
class SwitchTrigger:
    """A trigger for a switch."""

    waits: tuple[tuple[Ternary, ...], ...]  # entries; a packet that hits any of them has it go off
    frame: bytes  # the template without FCS, in which addresses and ports are still initial values
    asking: Asking
    add: tuple[int, int]  # to the sums of `asking`
    destination: bytes | None  # Ethernet addresses that its author gave; None: those of an answer
    source: bytes | None


def switch_trigger(end: PlannedEnd) -> SwitchTrigger:
    """A planned trigger for a switch.

    Raises:
        PlanError: what of it a switch cannot do, and what to do instead.
    """
    try:
        return _switch_trigger(end)
    except PlanError as problem:
        raise PlanError(f"trigger {end.name!r}: not on a switch: {problem}; or use a testerd") from None


def _switch_trigger(end: PlannedEnd) -> SwitchTrigger:
    if end.vlan is not None:
        raise PlanError(f"vlan={end.vlan}: it answers packets without a tag; leave vlan= out")
    if end.most > _MOST:
        raise PlanError(f"most={end.most:,}: it counts {_MOST:,} packets at most; give a smaller number")
    waits = _waits_for(end)
    template = _template(end)
    (seq, add_to_seq), (ack, add_to_ack) = (_carried(template, name) for name in CARRIED)
    _check_fields(template, waits)
    return SwitchTrigger(
        waits=_entries(waits),
        frame=tcp_frame(template.headers, {}, payload=template.payload),
        asking=Asking(seq, ack),
        add=(add_to_seq, add_to_ack),
        destination=_given(template, "Ether.dst"),
        source=_given(template, "Ether.src"),
    )


def _waits_for(end: PlannedEnd) -> Condition:
    protocol = end.protocol
    names = [header.name for header in layout_of(protocol.stack).headers]
    if names != _STACK:
        raise PlanError(
            f"its packets are {' / '.join(names)}, as its filter and its values name them; packets of "
            f"{' / '.join(_STACK)} have a frame sent"
        )
    tests = protocol.rows[0].tests
    if any(isinstance(test, Prefix) for test in tests):
        raise PlanError("its filter looks at the payload; give conditions on flags, ports or addresses")
    found = condition(tests, NameScope(protocol))
    for quantity in found.allowed:
        name = str(quantity[1])
        if name not in TESTED:
            raise PlanError(f"its filter tests {name}; a switch compares {', '.join(TESTED)}")
    return found


def _entries(waits: Condition) -> tuple[tuple[Ternary, ...], ...]:
    found = tuple(tuple(part for one in each for part in _keys(one)) for each in ternaries(waits))
    if len(found) > REPLY_ROWS:
        raise PlanError(
            f"its filter takes {len(found):,} entries, and {REPLY_ROWS:,} are there: a range takes "
            "several, two ranges their product; give ranges that begin and end at powers of two"
        )
    return found


def _keys(one: Ternary) -> Iterator[Ternary]:
    """The keys that have any bits of a field: the ninth flag of TCP is one of its reserved bits."""
    parts = [one]
    if one.key == "TCP.flags":
        parts = [
            Ternary(one.key, one.value & 0xFF, one.mask & 0xFF),
            Ternary(NINTH_FLAG, one.value >> 8, one.mask >> 8),
        ]
    return (part for part in parts if part.mask)


def _template(end: PlannedEnd) -> Template:
    acts = [action.act for action in end.protocol.rows[0].actions]
    if any(isinstance(act, Reply) for act in acts):
        raise PlanError(
            "Raw(load=payload) sends the packet itself; a frame is sent with a payload of its own"
        )
    sends = [act for act in acts if isinstance(act, Send)]
    if len(sends) > 1:
        raise PlanError(f"{len(sends)} frames for a packet; one packet has one frame sent")
    (template,) = end.protocol.templates
    names = [header.name for header in layout_of(template.headers).headers]
    if names != _STACK:
        raise PlanError(f"it sends {' / '.join(names)}; a frame is {' / '.join(_STACK)}")
    return template


def _carried(template: Template, name: str) -> tuple[_Sum, int]:
    """A field of `CARRIED` as a sum that the program knows, and a constant."""
    value = _value(template, name)
    names: Counter[str] = Counter()
    constant = 0
    for operator, atom in (("+", value.first), *value.rest):
        if isinstance(atom, int) and operator in "+-":
            constant += atom if operator == "+" else -atom
        elif isinstance(atom, str) and operator == "+":
            names[atom] += 1
        else:
            names[f"{operator} {atom}"] += 1  # which no sum has
    allowed = {asking.seq if name == "TCP.seq" else asking.ack for asking in ASKINGS}
    for known in sorted(allowed, key=len):
        if Counter(known) == names:
            return known, constant % _WORD
    sums = ", ".join(" + ".join(known) for known in _LABELS if known in allowed and known)
    raise PlanError(f"{name} is {value}; there it is a number, or one of {sums} and a number")


def _check_fields(template: Template, waits: Condition) -> None:
    """Refuses other values than constants, in fields that an answer does not have from its packet."""
    for name, value in template.fields:
        if str(value) == name in _CARRIED_SWAPPED | _ADDRESSES:
            raise PlanError(
                f"swap=False: {name} stays as it arrived; a frame has the addresses and ports of an "
                "answer: leave swap= out"
            )
        swapped = str(value) == (_CARRIED_SWAPPED | _ADDRESSES).get(name)
        if name not in CARRIED and not swapped and value.constant is None:
            raise PlanError(
                f"{name} is {value}; {' and '.join(CARRIED)} follow from the packet, addresses and "
                "ports are those of an answer, and other fields are constant"
            )
    for name, read in _CARRIED_SWAPPED.items():
        value = _value(template, name)
        if str(value) != read and not _is_always(waits, read, value.constant):
            raise PlanError(
                f"{name} is {value}; an answer's is the {read} of the packet: leave it out, or "
                f"have the filter wait for this {read}"
            )


def _is_always(waits: Condition, name: str, value: int | None) -> bool:
    """Whether a field has one value in all packets that are waited for."""
    allowed = waits.allowed.get(("value", name))
    return allowed is not None and allowed.count == 1 and allowed.smallest() == value


def _value(template: Template, name: str) -> Expression:
    given = dict(template.fields).get(name)
    if given is not None:
        return given
    header = next(one for one in layout_of(template.headers).headers if one.name == name.partition(".")[0])
    return Expression(header.places[name.partition(".")[2]].read(header.octets))


def _given(template: Template, name: str) -> bytes | None:
    """An Ethernet address that is constant."""
    value = _value(template, name).constant
    return None if value is None else value.to_bytes(6, "big")
