# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers clients to a switch, where only packets wake a flow: so each start of a flow is a packet, too.

A start looks like an answer of the target to one of the clients. A stream of them leaves its loop at the
rate of the openings, by a port that recirculates, and comes to the classifier, which gives it the flow's
number and a link of its own. By that link its rows are told from those of packets: the row for `start` in the
flow's state asks for a template and moves the flow on; a flow that is open has no such row. So a flow that is
over is opened again when its turn comes, and as many are open at once as there are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ...errors import PlanError
from ...model.expression import NOTHING, Expression
from ...model.headers import HeaderStack
from ...model.plan.planned_end import Accept, Opening, PlannedEnd, Series
from ...model.protocol import Protocol, Row
from ...model.responder import Reopen
from ...model.template import Template
from ...model.units.units import FCS_LENGTH, LINE_OVERHEAD, Bandwidth
from ...protocols.actions.sending import Send
from ...protocols.actions.variables import Randomize
from .allocation import LoopbackFlow, LoopbackPort, LoopbackPorts
from .answers import whole_frame
from .datagrams import is_datagram
from .editor import WORD, SwitchEditor
from .expectation import expecting
from .loops import template_packets
from .match_action import MatchAction, MatchEntry, Ternary
from .meter import LoopMeter
from .resources import START
from .staging import Staging, stage
from .timers import STATE

CARRIED = ("TCP.seq", "TCP.ack")  # taken from a packet to its answer; the template has all other fields
GIVEN_UP = STATE  # the state of a flow that is over and is not to be opened again
_OVER = (0, GIVEN_UP)  # states of flows that are not open
_FIRST, _GIVEN_UP = (Ternary("state", state, STATE) for state in _OVER)
_FLOW_FIELDS = ("IP.src", "IP.dst", "TCP.sport", "TCP.dport")
_STEPPED = 2  # fields that change in an order
_SLOWEST_WRITE_S = Fraction(10, 10**6)  # until a state is written (norma appendix A), with room to spare
_HEADERS = HeaderStack.parse("Ether / IP / TCP")


@dataclass(frozen=True)
class Starts:
    """The starts of clients, and the sources that they are for: each source is a flow."""

    frame: bytes  # without FCS
    edits: tuple[SwitchEditor, ...]
    hosts: Accept  # IP.dst of what comes to them
    ports: Accept  # TCP.dport
    target: tuple[Accept, ...]  # IP.src, TCP.sport
    most: int | None  # so many in all; None: until the clients are stopped

    @property
    def accepts(self) -> tuple[Accept, ...]:
        """The fields that select what comes to these sources from the target."""
        return (self.hosts, self.ports, *self.target)


@dataclass(frozen=True)
class PlacedStarts:
    """Starts with their rate, and their loop."""

    starts: Starts
    staging: Staging
    flow: LoopbackFlow
    templates: int
    metered: bool
    loopback: LoopbackPort | None = None  # None: not placed yet

    def at(self, place: LoopbackPort) -> PlacedStarts:
        """The same in a loopback port."""
        return replace(self, loopback=place)


def drawn_at_start(protocol: Protocol) -> frozenset[str]:
    """The variables to which rows for `start` give random bits."""
    return frozenset(
        action.act.variable
        for row in protocol.rows
        if row.event == START
        for action in row.actions
        if isinstance(action.act, Randomize)
    )


def carried_values(protocol: Protocol, template: Template) -> tuple[Expression, ...]:
    """The values of `CARRIED` in an answer, of the packet that asks for it, and of its flow.

    A start comes with a sequence number that an editor has drawn, in the place of the random bits of its row.
    """
    if is_datagram(protocol):
        return NOTHING, NOTHING
    fields, drawn = dict(template.fields), drawn_at_start(protocol)
    values = (expecting(protocol, fields.get(name, NOTHING)) for name in CARRIED)
    return tuple(Expression("TCP.seq") if str(value) in drawn else value for value in values)


def opening_of(end: PlannedEnd) -> Opening:
    """How clients open flows. PlanError for an end that opens none."""
    if end.opening is None:
        raise PlanError(f"{end.name!r}: it opens no flows; give clients")
    return end.opening


def placed_starts(end: PlannedEnd, chip: LoopbackPorts, edited_fields: int) -> PlacedStarts:
    """The starts of clients, not placed yet, of which so many fields can change.

    Raises:
        PlanError: what of the clients a switch cannot do.
    """
    opening = opening_of(end)
    if opening.rate is None:
        raise PlanError(
            f"{end.name!r}: a switch opens connections at a rate, and none is given; give rate=, such as "
            "1000/s"
        )
    found = starts(end, edited_fields)
    pps = opening.rate * 10**9
    if len(end.protocol.states) > 1:
        check_turns(end, pps, found.hosts.count * found.ports.count, "starts")
    return paced(end, found, pps, START, chip)


def paced(end: PlannedEnd, found: Starts, pps: Fraction, event: str, chip: LoopbackPorts) -> PlacedStarts:
    """Packets that are an event of its flows, so many each second. PlanError: no meter has this rate."""
    size = len(found.frame) + FCS_LENGTH
    line = Bandwidth(chip.port_bps).frames_per_second(Fraction(size))
    try:
        staging = stage(pps, LoopMeter(chip.meter, line), enough=chip.even, up_to=chip.spare_pps(line))
    except PlanError as problem:
        raise PlanError(f"{end.name!r}: {problem}") from None
    rate = staging.meter_rate
    bits = (size + LINE_OVERHEAD) * 8
    bps = ceil(rate * bits)
    return PlacedStarts(
        found,
        staging,
        LoopbackFlow(f"{end.name}: {event}", bps, ceil(rate), recirculated_bps=ceil(staging.rate * bits)),
        ceil(template_packets(size) * Fraction(bps, chip.port_bps)),
        metered=rate < line,
    )


def starts(end: PlannedEnd, edited_fields: int) -> Starts:
    """The starts of planned clients. PlanError as placed_starts."""
    opening = opening_of(end)
    _check_drawn(end.protocol)
    series = {one.field: one for one in opening.addresses}
    if set(series) != set(_FLOW_FIELDS):
        raise PlanError(
            f"{end.name!r}: its flows are known by {', '.join(series)}; on a switch clients open flows that "
            f"are known by {', '.join(_FLOW_FIELDS)}"
        )
    keeps = len(end.protocol.states) > 1
    hosts, ports = _sources(end, opening, series["IP.src"], series["TCP.sport"], keeps=keeps)
    targets = series["IP.dst"], series["TCP.dport"]
    return Starts(
        frame=_frame(opening, hosts, ports, targets, end.vlan),
        edits=_edits(end, hosts, ports, targets, edited_fields),
        hosts=hosts,
        ports=ports,
        target=(
            Accept("IP.src", targets[0].first, targets[0].count),
            Accept("TCP.sport", targets[1].first, targets[1].count),
        ),
        most=_most(end, opening, hosts.count * ports.count, keeps=keeps),
    )


def opening_rows(program: MatchAction, reopen: Reopen) -> MatchAction:
    """A protocol with the rows of clients, whose flows that are over are opened again as `reopen` says.

    A flow that is not goes to a state which has the rows of the first one, but none for `start`.
    """
    return replace(program, entries=tuple(_opening_rows(program, reopen)))


def _opening_rows(program: MatchAction, reopen: Reopen) -> Iterator[MatchEntry]:
    failures = program.protocol.failures
    for entry in program.entries:
        fails = not set(entry.counts).isdisjoint(failures)
        kept = reopen == Reopen.ALWAYS or (reopen == Reopen.ENDED_WELL and not fails)
        yield entry if kept or not ends(entry) else replace(entry, next_state=GIVEN_UP)
    after = 1 + max(entry.priority for entry in program.entries)
    for entry in program.entries:
        if entry.table != START and _FIRST in entry.match:
            match = tuple(_GIVEN_UP if one == _FIRST else one for one in entry.match)
            following = entry.next_state or GIVEN_UP
            yield replace(entry, match=match, next_state=following, priority=after + entry.priority)


def check_turns(end: PlannedEnd, pps: Fraction, sources: int, what: str) -> None:
    """PlanError if the next turn of starts, or looks, would come before a state of this one is written."""
    most = sources / _SLOWEST_WRITE_S
    if pps > most:
        raise PlanError(
            f"{end.name!r}: {int(pps):,} {what} each second of {sources:,} connections: the next one of a "
            f"flow would come before its state is written; at most {int(most):,}/s, or give more connections"
        )


def begins(entry: MatchEntry) -> bool:
    """Whether a row begins a flow."""
    return _FIRST in entry.match and entry.next_state not in _OVER


def ends(entry: MatchEntry) -> bool:
    """Whether a row ends a flow."""
    return entry.next_state in _OVER and any(
        match.key == "state" and match.value not in _OVER for match in entry.match
    )


def _check_drawn(protocol: Protocol) -> None:
    """Random bits of a start are its sequence number, so one template at most has them, sent by that row."""
    drawn = drawn_at_start(protocol)
    sent_later = {name for row in protocol.rows if row.event != START for name in _sent(row)}
    for template in protocol.templates:
        for name, value in template.fields:
            read = drawn.intersection(value.names)
            if read and (name != "TCP.seq" or value.rest or template.name in sent_later):
                raise PlanError(
                    f"{protocol.path}: line {template.line}: template {template.name} sets {name} to "
                    f"{value}; on a switch the random bits of a start are the TCP.seq of the template that "
                    "it sends, and nothing else"
                )
    widths = {variable.bits for variable in protocol.variables if variable.name in drawn}
    if len(drawn) > 1 or widths - {WORD}:
        raise PlanError(
            f"{protocol.path}: a start draws {', '.join(sorted(drawn))}; on a switch it draws one number of "
            f"{WORD} bits, which is a TCP.seq"
        )


def _sent(row: Row) -> Iterator[str]:
    return (action.act.template for action in row.actions if isinstance(action.act, Send))


def _sources(
    end: PlannedEnd, opening: Opening, addresses: Series, ports: Series, *, keeps: bool
) -> tuple[Accept, Accept]:
    """The sources that are used: as many as connections; all, where nothing is kept of a flow."""
    flows = opening.connections if keeps else opening.flows
    hosts = min(flows, addresses.count)
    if flows % hosts:
        raise PlanError(
            f"{end.name!r}: connections={flows:,} from {addresses.count:,} addresses: a switch opens as many "
            f"from each; take a multiple of {addresses.count:,}, or fewer sources="
        )
    each = flows // hosts
    first_host = min(opening.first_flow % addresses.count, addresses.count - hosts)
    first_port = min(opening.first_flow // addresses.count, ports.count - each)
    return (
        Accept("IP.dst", addresses.first + first_host, hosts),
        Accept("TCP.dport", ports.first + first_port, each),
    )


def _most(end: PlannedEnd, opening: Opening, sources: int, *, keeps: bool) -> int | None:
    if not keeps:
        return opening.total or None
    if opening.total > sources:
        raise PlanError(
            f"{end.name!r}: total={opening.total:,} is more than its {sources:,} connections; a switch "
            "counts "
            "starts, and one whose flow is still open opens nothing: leave total= out, or give as many "
            "connections"
        )
    return opening.total or (sources if opening.reopen == Reopen.NEVER else None)


def _frame(
    opening: Opening, hosts: Accept, ports: Accept, targets: tuple[Series, Series], vlan: int | None
) -> bytes:
    """A start: from the target to the first of the sources, with no flag, and the tag that answers have."""
    fields = {
        "IP.src": targets[0].first,
        "IP.dst": hosts.first,
        "TCP.sport": targets[1].first,
        "TCP.dport": ports.first,
        "TCP.flags": 0,
    }
    return opening.source_mac + opening.destination_mac + whole_frame(_HEADERS, fields, vlan=vlan)[12:]


def _edits(
    end: PlannedEnd, hosts: Accept, ports: Accept, targets: tuple[Series, Series], edited_fields: int
) -> tuple[SwitchEditor, ...]:
    """The fields that change from start to start: addresses first, then their ports, as in an engine."""
    found: list[SwitchEditor] = []

    def stepped(field: str, first: int, count: int) -> None:
        cascaded = hosts.count > 1 and field != "IP.dst"
        if count > 1:
            found.append(SwitchEditor(field, 0, 1, False, count, first, cascaded=cascaded))

    stepped("IP.dst", hosts.first, hosts.count)
    stepped("TCP.dport", ports.first, ports.count)
    stepped("IP.src", targets[0].first, targets[0].count)
    stepped("TCP.sport", targets[1].first, targets[1].count)
    if drawn_at_start(end.protocol):
        found.append(SwitchEditor("TCP.seq", 0, (1 << WORD) - 1, True, 1 << WORD, 0))
    # A third unit waits for the second; the engine's target waits for the same as the source's port.
    if len(found) > (units := min(edited_fields, _STEPPED + len(drawn_at_start(end.protocol)))):
        names = ", ".join(editor.field for editor in found)
        raise PlanError(
            f"{end.name!r}: fields that change from start to start: {len(found)} needed, {units} there "
            f"({names}, as answers have them); give one address, or one port, as sources= or target="
        )
    return tuple(found)
