# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers in a switch: entries for what they wait for, and a template that becomes the frame (HyperTester
§5.3).

A packet that hits an entry is counted down where it arrives, and asks inside for the template of its trigger,
as a packet of a protocol does; one whose frame is the packet itself goes back past all that. Any program runs
them: nothing of a trigger is compiled in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import PlanError
from ...model.condition import Prefix
from ...model.expression import Expression
from ...model.plan.planned_end import PlannedEnd
from ...model.template import Template
from ...protocols.actions.sending import Reply, Send
from ...protocols.conditions import Condition, condition
from ...protocols.scope import NameScope, layout_of
from .answers import whole_frame
from .match_action import Ternary, ternaries
from .resources import REPLY_ROWS
from .starts import CARRIED

# Fields that an entry tests.
TESTED = (
    *("IP.src", "IP.dst", "IP.ttl", "TCP.sport", "TCP.dport", "TCP.flags", "TCP.window"),
    *("UDP.sport", "UDP.dport", "ICMP.type", "ICMP.code"),
)
NINTH_FLAG = "TCP.reserved"  # its lowest bit
_TCP = "TCP"
KNOWN_BY = (_TCP, "UDP", "ICMP")  # headers by which packets are known
_NETWORK = ["Ether", "IP"]
_STACK = [*_NETWORK, _TCP]
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
class Returning:
    """An action by which the packet itself is sent back, and the bits of what an entry gives."""

    name: str
    reply: Reply
    parameters: Mapping[str, int] = field(default_factory=dict)


_SWAPS = (("Ether.src", "Ether.dst"), ("IP.src", "IP.dst"))
_MESSAGE = {"ICMP.type": "message_type", "ICMP.code": "message_code"}  # and the parameters that they are
RETURNING = {
    "UDP": Returning("trigger_udp", Reply(swaps=(*_SWAPS, ("UDP.sport", "UDP.dport")))),
    "ICMP": Returning(
        "trigger_icmp",
        Reply(tuple((name, Expression(given)) for name, given in _MESSAGE.items()), _SWAPS),
        dict.fromkeys(_MESSAGE.values(), 8),
    ),
}


@dataclass(frozen=True)
class TemplateFrame:
    """A frame that a template becomes."""

    frame: bytes  # the template without FCS, in which addresses and ports are still initial values
    asking: Asking
    add: tuple[int, int]  # to the sums of `asking`
    destination: bytes | None  # Ethernet addresses that its author gave; None: those of an answer
    source: bytes | None


@dataclass(frozen=True)
class ReturnedFrame:
    """The packet itself, changed."""

    returning: Returning
    data: Mapping[str, int]  # of its parameters


@dataclass(frozen=True)
class SwitchTrigger:
    """A trigger for a switch."""

    waits: tuple[tuple[Ternary, ...], ...]  # entries; a packet that hits any of them has it go off
    header: str  # of `KNOWN_BY`
    sends: TemplateFrame | ReturnedFrame


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
    if end.most > _MOST:
        raise PlanError(f"most={end.most:,}: it counts {_MOST:,} packets at most; give a smaller number")
    *network, header = (placed.name for placed in layout_of(end.protocol.stack).headers)
    if network != _NETWORK or header not in KNOWN_BY:
        raise PlanError(
            f"its packets are {' / '.join((*network, header))}, as its filter and its values name them; a "
            f"frame is sent for packets of {', '.join(KNOWN_BY)} in IP"
        )
    waits = _waits_for(end)
    acts = [action.act for action in end.protocol.rows[0].actions]
    replies = [act for act in acts if isinstance(act, Reply)]
    sends = [act for act in acts if isinstance(act, Send)]
    if len(replies) + len(sends) > 1:
        raise PlanError(f"{len(replies) + len(sends)} frames for a packet; one packet has one frame sent")
    frame = _returned(header, replies[0], waits) if replies else _template_frame(end, header, waits)
    return SwitchTrigger(_entries(waits), header, frame)


def _waits_for(end: PlannedEnd) -> Condition:
    protocol = end.protocol
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


def _returned(header: str, reply: Reply, waits: Condition) -> ReturnedFrame:
    """The packet itself, with the fields that the program can change."""
    returning = RETURNING.get(header)
    if returning is None:
        raise PlanError(
            f"Raw(load=payload) sends the packet itself, which is one of {header}; those of "
            f"{', '.join(RETURNING)} are sent back, a frame of {header} has a payload of its own"
        )
    wanted = dict(reply.fields)
    message = {name: _message(name, wanted.pop(name, None), waits) for name in _MESSAGE if header == "ICMP"}
    swapped = {one: other for pair in returning.reply.swaps for one, other in (pair, pair[::-1])}
    for name, value in wanted.items():
        if str(value) == name:
            raise PlanError(_unswapped(name))
        if str(value) != swapped.get(name):
            raise PlanError(
                f"{name} is {value}; a packet that is sent back keeps its fields, but for addresses and "
                f"ports, which are those of an answer, and {' and '.join(_MESSAGE)}"
            )
    return ReturnedFrame(returning, {_MESSAGE[name]: value for name, value in message.items()})


def _message(name: str, given: Expression | None, waits: Condition) -> int:
    """A field of ICMP in the packet that is sent back: one value for all."""
    allowed = waits.allowed.get(("value", name))
    kept = allowed.smallest() if given is None and allowed is not None and allowed.count == 1 else None
    value = kept if given is None else given.constant
    if value is None:
        what = "kept" if given is None else str(given)
        raise PlanError(f"{name} is {what}; give a number for it, or have the filter wait for one")
    return value


def _template_frame(end: PlannedEnd, header: str, waits: Condition) -> TemplateFrame:
    (template,) = end.protocol.templates
    names = [placed.name for placed in layout_of(template.headers).headers]
    if names != _STACK or header != _TCP:
        raise PlanError(
            f"it sends {' / '.join(names)} for packets of {header}; a frame with a payload of its own is "
            f"{' / '.join(_STACK)}, for packets of {_TCP}, and Raw(load=payload) sends back those of "
            f"{', '.join(RETURNING)}"
        )
    (seq, add_to_seq), (ack, add_to_ack) = (_carried(template, name) for name in CARRIED)
    _check_fields(template, waits)
    return TemplateFrame(
        frame=whole_frame(template.headers, {}, payload=template.payload, vlan=end.vlan),
        asking=Asking(seq, ack),
        add=(add_to_seq, add_to_ack),
        destination=_given(template, "Ether.dst"),
        source=_given(template, "Ether.src"),
    )


def _unswapped(name: str) -> str:
    return (
        f"swap=False: {name} stays as it arrived; a frame has the addresses and ports of an answer: leave "
        "swap= out"
    )


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
            raise PlanError(_unswapped(name))
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
