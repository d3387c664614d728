# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients of one port, whose answers have to tell whose flow they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address

from ..errors import PlanError
from ..model.endpoints import AddressRange, Endpoints, PortRange
from ..model.plan import Plan
from ..model.planned_end import PlannedEnd
from ..protocols.scope import layout_of

_Ranges = Mapping[str, range]  # values of fields, as they arrive


def check_clients_apart(job: str, ends: Iterable[PlannedEnd], beside: Iterable[Plan] = ()) -> None:
    """Raises PlanError if clients would open the same flow as others of the same port.

    An answer would reach only one of them, which knows nothing of a flow that the other one opened.

    Args:
        job: Name of the job that the ends are of.
        ends: As planned.
        beside: Jobs that are loaded already; one of the same name is left out.
    """
    others = [(own.job, end) for own in beside if own.job != job for end in own.ends if end.opening]
    for end in (end for end in ends if end.opening):
        for other_job, other in others:
            if common := _common(end, other):
                raise PlanError(
                    f"clients {end.name!r} of job {job!r} and clients {other.name!r} of job {other_job!r} "
                    f"would open the same flows on port {end.port!r}, {_flows(common)}, and an answer would "
                    "reach one of them only; give one of them other sources= or another target=, or stop "
                    f"{other.name!r} first"
                )
        others.append((job, end))


def _common(end: PlannedEnd, other: PlannedEnd) -> _Ranges | None:
    """Values that frames for both of them have; None if there is no such frame."""
    if (end.port, end.vlan) != (other.port, other.vlan) or _differ(_announced(end), _announced(other)):
        return None
    own, others = _accepted(end), _accepted(other)
    common = {
        name: range(max(own[name].start, others[name].start), min(own[name].stop, others[name].stop))
        for name in own.keys() & others.keys()
    }
    return common if all(common.values()) else None


def _accepted(end: PlannedEnd) -> _Ranges:
    return {own.field: range(own.first, own.first + own.count) for own in end.accepts}


def _announced(end: PlannedEnd) -> Mapping[str, int]:
    """What a frame has to say of itself to be of its protocol."""
    headers = layout_of(end.protocol.stack).headers
    return {f"{own.name}.{field}": value for own in headers for field, value in own.announced.items()}


def _differ(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    return any(other.get(name, value) != value for name, value in one.items())


def _flows(common: _Ranges) -> str:
    """As they are opened: from where to where."""
    return f"{_endpoints(common, 'dst', 'dport')} to {_endpoints(common, 'src', 'sport')}"


def _endpoints(common: _Ranges, address: str, port: str) -> Endpoints:
    """The end of the flows that arriving frames name by these fields."""
    by_field = {name.partition(".")[2]: values for name, values in common.items()}
    version = IPv6Address if any(name.startswith("IPv6.") for name in common) else IPv4Address
    addresses, ports = by_field[address], by_field.get(port)
    return Endpoints(
        AddressRange(version(addresses.start), len(addresses)),
        PortRange(ports.start, len(ports)) if ports else None,
    )
