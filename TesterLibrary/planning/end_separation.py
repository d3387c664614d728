# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the ends of one port apart: a frame has to tell to which of them it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address

from ..errors import PlanError
from ..model.endpoints import AddressRange, Endpoints, PortRange
from ..model.plan.plan import Plan
from ..model.plan.planned_end import PlannedEnd
from ..protocols.scope import layout_of

_Ranges = Mapping[str, range]  # values of fields, as they arrive


def check_ends_apart(job: str, ends: Iterable[PlannedEnd], beside: Iterable[Plan] = ()) -> None:
    """Raises PlanError if ends of one port would take the same frames.

    Of clients that open the same flow an answer reaches one, which may know nothing of it. Of responders of
    the same servers one would serve all.

    Args:
        job: Name of the job of these ends.
        ends: The planned ends.
        beside: Jobs that are loaded already; one of the same name is left out.
    """
    others = [(plan.job, end) for plan in beside if plan.job != job for end in plan.ends]
    for end in ends:
        for other_job, other in others:
            common = _common(end, other)
            if common is None or bool(end.opening) is not bool(other.opening):
                continue
            if end.opening:
                raise PlanError(
                    f"clients {end.name!r} of job {job!r} and clients {other.name!r} of job {other_job!r} "
                    f"would open the same flows on port {end.port!r}, {_flows(common)}, and an answer would "
                    "reach one of them only; give one of them other sources= or another target=, or stop "
                    f"{other.name!r} first"
                )
            if not (end.is_trigger or other.is_trigger):
                raise PlanError(
                    f"responders {end.name!r} and {other.name!r} would both serve {_servers(common)} on "
                    f"port {end.port!r}, and one of them would serve all; give one of them other servers=, "
                    f"or stop {other.name!r} first"
                )
        others.append((job, end))


def _common(end: PlannedEnd, other: PlannedEnd) -> _Ranges | None:
    """The values of frames that both of them accept; None if there is no such frame."""
    if (end.port, end.vlan) != (other.port, other.vlan) or _differ(_announced(end), _announced(other)):
        return None
    accepted, others = _accepted(end), _accepted(other)
    common = {
        name: range(
            max(accepted[name].start, others[name].start), min(accepted[name].stop, others[name].stop)
        )
        for name in accepted.keys() & others.keys()
    }
    return common if all(common.values()) else None


def _accepted(end: PlannedEnd) -> _Ranges:
    return {accept.field: range(accept.first, accept.first + accept.count) for accept in end.accepts}


def _announced(end: PlannedEnd) -> Mapping[str, int]:
    """The values that a frame has to carry to belong to the end's protocol."""
    headers = layout_of(end.protocol.stack).headers
    return {
        f"{header.name}.{field}": value for header in headers for field, value in header.announced.items()
    }


def _differ(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    return any(other.get(name, value) != value for name, value in one.items())


def _flows(common: _Ranges) -> str:
    """The flows in words, as they are opened: from their sources to their targets."""
    return f"{_endpoints(common, 'dst', 'dport')} to {_endpoints(common, 'src', 'sport')}"


def _servers(common: _Ranges) -> str:
    """The servers in words; the whole port where a protocol has no addresses."""
    fields = {name.partition(".")[2] for name in common}
    return str(_endpoints(common, "dst", "dport")) if "dst" in fields else "the same packets"


def _endpoints(common: _Ranges, address: str, port: str) -> Endpoints:
    """The end of the flows that these fields of arriving frames identify."""
    by_field = {name.partition(".")[2]: values for name, values in common.items()}
    version = IPv6Address if any(name.startswith("IPv6.") for name in common) else IPv4Address
    addresses, ports = by_field[address], by_field.get(port)
    return Endpoints(
        AddressRange(version(addresses.start), len(addresses)),
        PortRange(ports.start, len(ports)) if ports else None,
    )
