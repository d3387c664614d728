# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Triggers as tables of one state, and what keeps them from each other: overlaps and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import PlanError
from ..model.action import Action
from ..model.condition import Compare, Flags, Prefix, Relation, Test
from ..model.editor import FieldPath
from ..model.expression import Expression
from ..model.headers import Header, HeaderStack
from ..model.plan.planned_end import PlannedEnd
from ..model.plan.planned_query import PlacedField, PlannedTest
from ..model.ports import Port
from ..model.protocol import Protocol, Row
from ..model.query import Condition as FilterCondition
from ..model.query import Query
from ..model.query import Relation as FilterRelation
from ..model.template import Template
from ..model.trigger import SentFrame, Trigger
from ..protocols import conditions
from ..protocols.actions.counting import Count
from ..protocols.actions.sending import Reply, Send
from ..protocols.checker import check
from ..protocols.scope import NameScope, layout_of
from ..protocols.values import MaskedNumbers
from .query import tests_of

_NETWORKS = ("IP", "IPv6", "ARP")
_TRANSPORTS = ("TCP", "UDP", "ICMP", "SCTP")
_PAIRS = (("src", "dst"), ("sport", "dport"), ("psrc", "pdst"), ("hwsrc", "hwdst"))
_ONE = Expression(1)
_RELATIONS = {
    "IS": Relation.IS,
    "NOT": Relation.NOT,
    "BELOW": Relation.BELOW,
    "AT_MOST": Relation.AT_MOST,
    "ABOVE": Relation.ABOVE,
    "AT_LEAST": Relation.AT_LEAST,
}


def plan_trigger(trigger: Trigger, seed: int, *, ports: Mapping[str, Port]) -> PlannedEnd:
    """The plan of a trigger.

    Raises:
        PlanError: no such port, a condition that a trigger cannot have, or a frame that cannot be sent.
    """
    if trigger.out is not None and trigger.out not in ports:
        raise PlanError(f"out={trigger.out!r} is no port of this tester; it has {', '.join(sorted(ports))}")
    return PlannedEnd(
        name=trigger.name,
        port=trigger.port,
        protocol=_table(trigger, ports),
        parameters={},
        accepts=(),
        seed=seed,
        flow_capacity=0,
        vlan=trigger.vlan,
        out_port=trigger.out,
        is_trigger=True,
        most=trigger.most,
    )


def _table(trigger: Trigger, ports: Mapping[str, Port]) -> Protocol:
    stack = _arriving(trigger)
    templates = []
    actions = [Action(Count("matched", _ONE)), Action(Count("sent", Expression(len(trigger.send.frames))))]
    for number, frame in enumerate(trigger.send.frames, 1):
        if frame.keeps_payload:
            if number < len(trigger.send.frames):
                raise PlanError("the frame that keeps the payload of the packet has to be the last one")
            actions.append(Action(_reply(frame, stack, swap=trigger.swap)))
        else:
            template = _template(f"frame_{number}", frame, stack, swap=trigger.swap)
            templates.append(template)
            actions.append(Action(Send(template.name)))
    tested = tests_of(Query(name=trigger.name, filter=trigger.filter), ports)
    tests = tuple(test for given, planned in tested for test in _tests(given, planned))
    protocol = Protocol(
        path=Path(f"trigger {trigger.name}"),
        name="trigger",
        description=f"Sends {len(trigger.send.frames)} frames for each packet that passes {trigger.filter}",
        states=("waiting",),
        # What the second one is for is left to others, as it does nothing.
        rows=(
            Row(("waiting",), "packet", tests, tuple(actions), None),
            Row(("waiting",), "packet", (), (), None),
        ),
        headers=stack,
        counters=("matched", "sent"),
        templates=tuple(templates),
    )
    found = check(protocol)
    if found:
        raise PlanError("; ".join(finding.message for finding in found))
    return protocol


def _arriving(trigger: Trigger) -> HeaderStack:
    """The headers of the packets by which a trigger goes off, as its filter and its frames name them."""
    named = {
        given.operand.header for given in trigger.filter.conditions if isinstance(given.operand, FieldPath)
    }
    read = {name for frame in trigger.send.frames for _, value in frame.fields for name in value.names}
    named |= {name.partition(".")[0] for name in read}
    transports = [name for name in _TRANSPORTS if name in named]
    networks = [name for name in _NETWORKS if name in named]
    if len(transports) > 1 or len(networks) > 1:
        raise PlanError(
            f"no packet has {' and '.join(networks if len(networks) > 1 else transports)} together; make a "
            "trigger for each"
        )
    unknown = sorted(named - {"Ether", *_NETWORKS, *_TRANSPORTS, "payload", "frame"})
    if unknown:
        raise PlanError(
            f"a trigger knows fields of Ether, {', '.join((*_NETWORKS, *_TRANSPORTS))}, and none of "
            f"{unknown[0]}; vlan= is for the packets of a VLAN"
        )
    if networks == ["ARP"] and transports:
        raise PlanError(f"no packet has ARP and {transports[0]} together; make a trigger for each")
    names = ["Ether", *(networks or (["IP"] if transports or not named <= {"Ether"} else [])), *transports]
    return HeaderStack(tuple(map(Header, names)))


def _tests(given: FilterCondition, planned: Sequence[PlannedTest]) -> Iterator[Test]:
    """A condition of the filter as tests of a row."""
    if given.operand is None:
        if given.relation is not FilterRelation.IS:
            raise PlanError(f"filter {str(given)!r}: a trigger compares the begin of the payload by == only")
        yield Prefix(planned[0].value)
        return
    if not isinstance(given.operand, FieldPath):
        raise PlanError(
            f"filter {str(given)!r}: a trigger compares fields and the begin of the payload; "
            "slices of it, length and port are for queries"
        )
    for test in planned:
        if isinstance(test.operand, PlacedField):
            yield from _of_field(given, test, test.operand)


def _of_field(given: FilterCondition, test: PlannedTest, placed: PlacedField) -> Iterator[Test]:
    name = str(given.operand)
    whole = int.from_bytes(placed.mask, "big")
    shift = (whole & -whole).bit_length() - 1
    mask, value = (int.from_bytes(octets, "big") >> shift for octets in (test.mask, test.value))
    if given.relation in (FilterRelation.HAS, FilterRelation.LACKS):
        letters = given.value.replace("+", "")
        yield Flags(name, set=letters) if given.relation is FilterRelation.HAS else Flags(name, clear=letters)
    elif mask == whole >> shift:
        yield Compare(Expression(name), _RELATIONS[test.relation], Expression(value))
    elif test.relation == "IS":  # a network: its first address to its last one
        yield Compare(Expression(name), Relation.AT_LEAST, Expression(value))
        yield Compare(Expression(name), Relation.AT_MOST, Expression(value | ~mask & whole >> shift))
    else:
        raise PlanError(f"filter {str(given)!r}: a trigger compares a network by == only")


def _addressed(frame: SentFrame, stack: HeaderStack, *, swap: bool) -> dict[str, Expression]:
    """The fields of a frame that follow from the packet: addresses and ports, and what its author wrote."""
    there, here = layout_of(stack).places, layout_of(frame.headers).places
    given = {f"{header.name}.{name}" for header in frame.headers.headers for name, _ in header.fields}
    values: dict[str, Expression] = {}
    for header in (each.name for each in frame.headers.headers):
        for one, other in _PAIRS:
            for field, source in ((one, other), (other, one)) if swap else ((one, one), (other, other)):
                name, read = f"{header}.{field}", f"{header}.{source}"
                if name in here and read in there and name not in given:
                    values[name] = Expression(read)
    return values | dict(frame.fields)


def _template(name: str, frame: SentFrame, stack: HeaderStack, *, swap: bool) -> Template:
    if frame.headers.headers[0].name != "Ether":
        raise PlanError(f"{frame.headers.names} does not begin with Ether; a frame does")
    values = _constants(frame, "Ether") | _addressed(frame, stack, swap=swap)
    return Template(name, frame.headers, fields=tuple(values.items()), payload=frame.payload)


def _reply(frame: SentFrame, stack: HeaderStack, *, swap: bool) -> Reply:
    """The packet itself, changed."""
    if [header.name for header in frame.headers.headers] != [header.name for header in stack.headers]:
        raise PlanError(
            f"{frame.headers.names} / Raw(load=payload) keeps the packet, whose headers are "
            f"{stack.names}; give these"
        )
    constants: dict[str, Expression] = {}
    for header in layout_of(stack).headers:
        constants |= _constants(frame, header.name)
    return Reply(fields=tuple((_addressed(frame, stack, swap=swap) | constants).items()))


def _constants(frame: SentFrame, header: str) -> dict[str, Expression]:
    """The constants that the author of a frame gave fields of a header.

    A template is filled in with other addresses of Ethernet unless its fields say otherwise.
    """
    return {
        f"{placed.name}.{name}": Expression(placed.places[name].read(placed.octets))
        for given, placed in zip(frame.headers.headers, layout_of(frame.headers).headers, strict=True)
        for name, _ in given.fields
        if placed.name == header
    }


def check_triggers(ends: Iterable[PlannedEnd], beside: Iterable[PlannedEnd]) -> None:
    """Refuses triggers that would go off by one packet together, or by their own frames, one after the other.

    A frame may come back to any port, through the device or over a cable: a loop is one of triggers each of
    which may send what the next one waits for.

    Args:
        ends: Ends that are to be loaded.
        beside: Those that are loaded already.

    Raises:
        PlanError: by the names of all that are part of it.
    """
    known = list(beside)
    for end in ends:
        for other in known:
            if _share(end, other):
                _check_apart(end, other)
        known.append(end)
    _check_loops([end for end in known if end.is_trigger])


def _check_apart(end: PlannedEnd, other: PlannedEnd) -> None:
    """Refuses an end beside another one that packets with the same headers are for."""
    names = " and ".join(
        f"trigger {one.name!r}" if one.is_trigger else repr(one.name) for one in (end, other)
    )
    if end.is_trigger is not other.is_trigger:
        raise PlanError(
            f"{names} on port {end.port!r} both take packets with the headers {end.protocol.stack.names}; "
            f"stop {other.name!r} first"
        )
    if not end.is_trigger:
        return
    one, two = _waits_for(end), _waits_for(other)
    if one.overlaps(two):
        raise PlanError(
            f"{names} on port {end.port!r} would both go off by a packet with {one.example(two)}; give one "
            "of them a condition that keeps them apart, have one of them send all frames, or stop "
            f"{other.name!r} first"
        )


def _share(end: PlannedEnd, other: PlannedEnd) -> bool:
    """Whether packets of one may have the headers of the other."""
    if (end.port, end.vlan) != (other.port, other.vlan):
        return False
    return _same_headers(end.protocol.stack, other.protocol.stack)


def _same_headers(one: HeaderStack, other: HeaderStack) -> bool:
    return all(a.name == b.name for a, b in zip(one.headers, other.headers, strict=False))


def _waits_for(end: PlannedEnd) -> conditions.Condition:
    row = end.protocol.rows[0]
    return conditions.condition(row.tests, NameScope(end.protocol))


def _check_loops(triggers: Sequence[PlannedEnd]) -> None:
    follows = {end.name: [other.name for other in triggers if _may_set_off(end, other)] for end in triggers}
    for name in follows:
        if loop := _loop(name, [name], follows):
            chain = ", whose frames may set off ".join(map(repr, loop[1:]))
            raise PlanError(
                f"triggers in a loop: frames of trigger {loop[0]!r} may set off {chain}; give one of them a "
                "condition that these frames do not meet, such as another flag, or UDP.sport != 7"
            )


def _loop(goal: str, way: list[str], follows: Mapping[str, Sequence[str]]) -> list[str]:
    for name in follows[way[-1]]:
        if name == goal:
            return [*way, name]
        if name not in way and (found := _loop(goal, [*way, name], follows)):
            return found
    return []


def _may_set_off(end: PlannedEnd, other: PlannedEnd) -> bool:
    """Whether a frame that one sends may pass the filter of the other."""
    waits = _waits_for(other)
    row = end.protocol.rows[0]
    templates = {template.name: template for template in end.protocol.templates}
    for action in row.actions:
        if isinstance(action.act, Send):
            template = templates[action.act.template]
            sent = _sent(template.headers, dict(template.fields), end)
            stack, payload = template.headers, template.payload
        elif isinstance(action.act, Reply):
            sent, stack, payload = _replied(action.act, end), end.protocol.stack, waits.prefix
        else:
            continue
        if (
            _same_headers(stack, other.protocol.stack)
            and payload.startswith(waits.prefix)
            and conditions.Condition(sent, waits.prefix).overlaps(waits)
        ):
            return True
    return False


def _sent(
    stack: HeaderStack, fields: Mapping[str, Expression], end: PlannedEnd
) -> dict[conditions.Quantity, MaskedNumbers]:
    """The possible values of each field of a template."""
    found = {}
    for header in layout_of(stack).headers:
        for field, place in header.places.items():
            name = f"{header.name}.{field}"
            value = fields.get(name, Expression(place.read(header.octets)))
            found[_quantity(name)] = _values(value, place.bits, end)
    return found


def _replied(reply: Reply, end: PlannedEnd) -> dict[conditions.Quantity, MaskedNumbers]:
    """The possible values of each field of the packet after its change."""
    fields, places = dict(reply.fields), layout_of(end.protocol.stack).places
    return {
        _quantity(name): _values(fields.get(name, Expression(name)), place.bits, end)
        for name, place in places.items()
    }


def _values(value: Expression, bits: int, end: PlannedEnd) -> MaskedNumbers:
    constant = value.constant
    if constant is not None:
        return MaskedNumbers.between(bits, constant, constant)
    known = _waits_for(end).allowed.get(_quantity(str(value.first))) if not value.rest else None
    return known if known and known.bits == bits else MaskedNumbers.all(bits)


def _quantity(name: str) -> conditions.Quantity:
    return ("value", name)
