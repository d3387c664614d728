# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The resources of a programmable switch for stateful protocols, and the needs of a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...model.action import Action
from ...model.condition import Compare, Flags, Prefix
from ...model.expression import Expression
from ...model.protocol import Protocol, Row
from ...protocols.actions.counting import RecordTime
from ...protocols.actions.following import NextEvent, Say
from ...protocols.actions.sending import Transmit
from ...protocols.actions.timers import StartTimer
from ...protocols.layout import TRAILERS
from ...protocols.scope import NameScope, layout_of
from .chip import TOFINO, Chip

START = "start"  # the event of clients, which open flows

# Limits of hardware and design; the section numbers are those of norma.
FLOW_ID_BITS = 24  # bits of an index into register arrays (§4.2)
LINK_BITS = 96  # bits of the Ethernet addresses, which a flow's number replaces between two passes (§4.2)
QUEUES = 16  # queues in a register array of 256, one for each kind of template (§4.3)
QUEUE_ARRAY = 256
PASS_SKIP_UNITS = 3  # units behind a meter, one of which corrects its rate (§5.2)
PREFIX_OCTETS = 16  # bytes of a payload that are parsed as a header (§4.3, "Modifying payload")
REGISTER_BITS = 32  # bits of a register, which one pass can access once (§4.2)
TIMERS = 1  # of clients, whose flows are looked at in turn; flows of servers have no turn

# Sizes of the program's tables; its sizes.p4 says which hardware sets them.
TEMPLATES = 256
COPIES = 512  # pairs of a template and a link; each pair has its ports
ROWS = 2048
FLOWS = 262_144
EXPECTING_FLOWS = 65_536  # that have a sequence number, of protocols that keep one
FLOW_CELLS = 32_768  # of all streams whose flows are counted
GAP_QUANTILES = 1024  # gaps that a random law has
GAP_LAWS = 16  # of streams at once
QUANTILES = 512  # values of distributions in each editor
TICK_BITS = 32  # bits of a pass/skip unit's counter, which counts the packets of a period
REPLY_ROWS = 1024  # entries of protocols without state
REPLIES = 256  # numbers for their replies
TRIGGERS = 256
LINKS = 256
QUERIES = 4  # at once in a direction; each has a table of its own: what the ingress of a Tofino has room for
QUERY_ROWS = 512  # entries of a query


@dataclass(frozen=True)
class Excess:
    """A resource: how much of it is needed, and how much there is."""

    resource: str
    needed: int
    available: int
    why: str
    instead: str
    where: str = ""  # file and line in the protocol

    def __str__(self) -> str:
        return (
            f"{self.resource}: {self.needed:,} needed, {self.available:,} there, "
            f"{self.needed - self.available:,} too many ({self.why}); {self.instead}"
        )


def excesses(protocol: Protocol, chip: Chip = TOFINO) -> list[Excess]:
    """All resources of a switch with this chip that are not enough for a checked protocol."""
    found = (
        _tables(protocol),
        _timers(protocol),
        _windows(protocol),
        _payload(protocol),
        _checks(protocol),
        _bodies(protocol),
        _state(protocol),
        _registers(protocol),
        _queues(protocol),
        _histograms(protocol),
        _stages(protocol, chip),
    )
    return [excess for excess in found if excess.needed > excess.available]


def _tables(protocol: Protocol) -> Excess:
    names = ", ".join(layer.name for layer in protocol.layers)
    instead = "write what is needed of them as one table, as resources/protocols/http-get.yaml does"
    return Excess("tables over one another", len(protocol.layers), 1, names, instead, _head(protocol))


def _timers(protocol: Protocol) -> Excess:
    names = [name for layer in protocol.layers for name in layer.timers]
    opens = any(row.event == START for row in _rows(protocol))
    instead = "leave them out: what the peer sends again starts the same row again"
    waker = "looks at flows of clients in turn" if opens else "only packets wake a flow of a server"
    where = _first_act(protocol, lambda action: isinstance(action.act, StartTimer))
    why = f"{', '.join(names)}; {waker} there"
    return Excess("timers", len(names), TIMERS if opens else 0, why, instead, where)


def _windows(protocol: Protocol) -> Excess:
    places = sorted({(layer.path, line) for layer in protocol.layers for line in _window_work(layer)})
    instead = "send one template for each packet that arrives, of a size that is a power of two"
    where = ", ".join(str(line) for _, line in places)
    why = f"lines {where}: transmit and say need a loop, * and << by a variable a multiplier"
    return Excess("window arithmetic", len(places), 0, why, instead, _at(*places[0]) if places else "")


def _window_work(layer: Protocol) -> Iterator[int]:
    """The lines of a table that need arithmetic for windows; what parameters alone say is a number there."""
    known = frozenset(parameter.name for parameter in layer.parameters)
    for row in layer.rows:
        for action in row.actions:
            if isinstance(action.act, Transmit | Say) or any(
                _multiplies(value, known) for value in action.act.expressions
            ):
                yield action.line
        for test in row.tests:
            if isinstance(test, Compare) and (
                _multiplies(test.left, known) or _multiplies(test.right, known)
            ):
                yield test.line


def _multiplies(value: Expression, known: frozenset[str]) -> bool:
    return not known.issuperset(value.names) and any(
        operator == "*" or (operator in ("<<", ">>") and isinstance(atom, str))
        for operator, atom in value.rest
    )


def _payload(protocol: Protocol) -> Excess:
    """Bytes of payload that have to be examined; only a prefix of fixed length can be parsed."""
    layers = protocol.layers
    tests = [(layer, test) for layer in layers for row in layer.rows for test in row.tests]
    prefixes = [
        (octets_before_payload(layer) + len(test.octets), _at(layer.path, test.line))
        for layer, test in tests
        if isinstance(test, Prefix)
    ]
    scanned = [(one.most, _at(layer.path, one.line)) for layer in layers for one in layer.scanners]
    actions = [(layer, action) for layer in layers for row in layer.rows for action in row.actions]
    cut = sorted({(layer.path, action.line) for layer, action in actions if action.act.cuts})
    why = [f"{len(scanned)} scanners"] * bool(scanned) + [f"{len(prefixes)} prefixes"] * bool(prefixes)
    why += [f"a payload is cut in lines {', '.join(str(line) for _, line in cut)}"] * bool(cut)
    looked_at = [*prefixes, *scanned, *((PREFIX_OCTETS + 1, _at(*place)) for place in cut[:1])]
    needed, where = max(looked_at, key=lambda found: found[0], default=(0, ""))
    instead = f"tell packets apart by the first {PREFIX_OCTETS} bytes of payload: {{begins: GET}}"
    return Excess("bytes of payload", needed, PREFIX_OCTETS, ", ".join(why), instead, where)


def octets_before_payload(protocol: Protocol) -> int:
    """Bytes of headers behind UDP, which is where a switch sees payload begin."""
    headers = layout_of(protocol.stack).headers
    names = [header.name for header in headers]
    behind = headers[names.index("UDP") + 1 :] if "UDP" in names else ()
    return sum(len(header.octets) for header in behind)


def _checks(protocol: Protocol) -> Excess:
    """Header stacks with a check over the whole packet behind its payload."""
    layers = protocol.layers
    stacks = [(layers[0].stack, _head(protocol))]
    stacks += [(one.headers, _at(layer.path, one.line)) for layer in layers for one in layer.templates]
    kinds = [([header.kind for header in layout_of(stack).headers], where) for stack, where in stacks]
    found = [(kind, where) for names, where in kinds for kind in names if kind in TRAILERS]
    why = f"behind the payload of {', '.join(dict.fromkeys(kind for kind, _ in found))}"
    instead = "a switch computes none over a payload, so use a testerd"
    return Excess("checks", len(found), 0, why, instead, found[0][1] if found else "")


def _bodies(protocol: Protocol) -> Excess:
    found = [(layer, one) for layer in protocol.layers for one in layer.templates if one.body is not None]
    why = f"{', '.join(one.name for _, one in found)}: the length of a template is fixed there"
    instead = "give the body as a number"
    return Excess(
        "bodies", len(found), 0, why, instead, _at(found[0][0].path, found[0][1].line) if found else ""
    )


def _state(protocol: Protocol) -> Excess:
    """Bits of state: the first pass hands them to the second in fields that a flow's number replaces."""
    scope = NameScope(protocol)
    keys = sum(scope.layout.bits(name) or 0 for key in protocol.layers[0].flow for name in key)
    room = LINK_BITS + keys - FLOW_ID_BITS
    why = (
        f"it travels from the pass that reads to the one that writes in the addresses ({LINK_BITS} bits) and "
        f"the flow's fields ({keys} bits), less {FLOW_ID_BITS} for the flow's number"
    )
    wide = sorted(
        ((bits, name) for layer in protocol.layers for name, bits in layer.registers()), reverse=True
    )
    names = ", ".join(f"{name} {bits}" for bits, name in wide[:4])
    instead = f"keep less; the widest are {names}"
    widest = max(_variables(protocol), default=(0, "", _head(protocol)))
    return Excess("bits of state", protocol.state_bits, room, why, instead, widest[2])


def _registers(protocol: Protocol) -> Excess:
    bits, name, where = max(_variables(protocol), default=(0, "", ""))
    return Excess("bits of a register", bits, REGISTER_BITS, name, "split it in two", where)


def _variables(protocol: Protocol) -> Iterator[tuple[int, str, str]]:
    """Bits, name and line of each variable."""
    for layer in protocol.layers:
        yield from (
            (variable.bits, variable.name, _at(layer.path, variable.line)) for variable in layer.variables
        )


def _queues(protocol: Protocol) -> Excess:
    """Queues: one for each kind of template, and two for a template with an option that may be missing."""
    kinds = {
        template.name: 1 << len({option.only_if for option in template.options if option.only_if})
        for layer in protocol.layers
        for template in layer.templates
    }
    names = ", ".join(f"{name} {count}" for name, count in kinds.items())
    places = [_at(layer.path, template.line) for layer in protocol.layers for template in layer.templates]
    where = places[-1] if places else ""
    instead = "send fewer kinds of packets"
    return Excess("queues of templates", sum(kinds.values()), QUEUES, names, instead, where)


def _histograms(protocol: Protocol) -> Excess:
    acts = [a for row in _rows(protocol) for a in row.actions if isinstance(a.act, RecordTime)]
    why = f"lines {', '.join(str(a.line) for a in acts)}"
    where = _first_act(protocol, lambda action: isinstance(action.act, RecordTime))
    return Excess("histograms", len(acts), 0, why, "count instead, and measure times with a stream", where)


def _stages(protocol: Protocol, chip: Chip) -> Excess:
    """Stages of the longest path through a pass: flow and registers, the table, its steps, an action."""
    rows = _rows(protocol)
    steps = max(_depth(layer, step, ()) for layer in protocol.layers for step in ("packet", *layer.steps))
    compared = max((_operations(t) for row in rows for t in row.tests), default=0)
    worked = max((len(v.rest) for row in rows for a in row.actions for v in a.act.expressions), default=0)
    needed = 2 + compared + steps + worked + 1
    why = (
        f"flow and registers 2, differences {compared}, tables {steps}, work of an action {worked}, writing 1"
    )
    _, where = max((_work(row), _at(layer.path, row.line)) for layer in protocol.layers for row in layer.rows)
    return Excess("stages", needed, chip.stages, why, "use fewer steps, and shorter expressions", where)


def _work(row: Row) -> int:
    """Stages for a row's tests and actions."""
    acting = (len(value.rest) for action in row.actions for value in action.act.expressions)
    return max(map(_operations, row.tests), default=0) + max(acting, default=0)


def _depth(protocol: Protocol, event: str, seen: tuple[str, ...]) -> int:
    """The number of tables in a row, from an event on."""
    steps = {
        a.act.step
        for row in protocol.rows
        if row.event == event
        for a in row.actions
        if isinstance(a.act, NextEvent)
    }
    return 1 + max((_depth(protocol, step, (*seen, step)) for step in steps - set(seen)), default=0)


def _operations(test: Compare | Flags | Prefix) -> int:
    """Subtractions before a table can match."""
    if not isinstance(test, Compare):
        return 0
    return len(test.left.rest) + (0 if test.right.constant is not None else 1 + len(test.right.rest))


def _first_act(protocol: Protocol, wanted: Callable[[Action], bool]) -> str:
    """The place of the first such action, or else of the line that gives the protocol's packets."""
    for layer in protocol.layers:
        for row in layer.rows:
            for action in row.actions:
                if wanted(action):
                    return _at(layer.path, action.line)
    return _head(protocol)


def _head(protocol: Protocol) -> str:
    return _at(protocol.path, protocol.packets_line)


def _at(path: Path, line: int) -> str:
    return f"{path}: line {line}"


def _rows(protocol: Protocol) -> list[Row]:
    return [row for layer in protocol.layers for row in layer.rows]
