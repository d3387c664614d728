# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps as bytes and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PlanError
from ..model.headers import HeaderStack
from ..model.plan.planned_stamps import PlannedStamps, Tunnel
from ..model.ports import Port
from ..model.stamps import StampMode, Stamps
from ..model.units.units import Duration
from .inline import header_matches, layout

_LONGEST_NAME = 128
_USUAL_FLOWS = 4096
_USUAL_INTERVAL = Duration(10**8)
_INTERVALS = 36_000  # an hour of the usual ones
_TUNNELS = {"VXLAN": Tunnel.VXLAN, "GTP_U_Header": Tunnel.GTP_U}


def plan_stamps(stamps: Stamps, *, ports: Mapping[str, Port]) -> PlannedStamps:
    """The plan of stamps.

    Raises:
        PlanError: headers that there are not, or in which no stamp can be.
    """
    if not 1 <= len(stamps.name) <= _LONGEST_NAME:
        raise stamps.refused(f"its name has {len(stamps.name)} characters; give 1 to {_LONGEST_NAME}")
    some = next(iter(ports))  # headers that say nothing of addresses do not depend on the port
    try:
        matches = header_matches(stamps.headers, layout(ports, some, some))
    except PlanError as problem:
        raise stamps.refused(str(problem)) from None
    return PlannedStamps(
        name=stamps.name,
        paths=stamps.paths,
        heading=stamps.heading,
        matches=matches,
        data_only=stamps.data_only,
        tunnel=_tunnel(stamps),
        remove=stamps.remove,
        mtu=stamps.mtu,
        kept=sum(kept.value for kept in set(stamps.kept)) if stamps.mode is StampMode.MATCH else 0,
        timeout_ns=stamps.timeout.ns,
        flows=stamps.flows or _USUAL_FLOWS,
        under_way=stamps.under_way,
        interval_ns=(stamps.interval or _USUAL_INTERVAL).ns,
        intervals=_INTERVALS,
        series=tuple(name for name in ("flows", "interval") if getattr(stamps, name) is not None),
    )


def _tunnel(stamps: Stamps) -> Tunnel:
    names = _names(stamps.headers)
    found = [_TUNNELS[name] for name in names if name in _TUNNELS]
    if len(found) > 1:
        raise stamps.refused(f"{stamps.headers} has {len(found)} tunnels; stamps are in the packets of one")
    if stamps.mode is StampMode.STAMP and stamps.headers is not None:
        inner = names[max((i for i, name in enumerate(names) if name in _TUNNELS), default=-1) + 1 :]
        other = [
            n for n in inner if n not in ("Ether", "VLAN", "Dot1Q", "Dot1AD", "IP", "IPv6", "TCP", "UDP")
        ]
        if other and not {"TCP", "UDP"} & set(inner):
            raise stamps.refused(
                f"{other[0]} has no room for a stamp; give headers with TCP or UDP, or mode=match"
            )
    return found[0] if found else Tunnel.NONE


def _names(headers: HeaderStack | None) -> list[str]:
    return [header.name for header in headers.headers] if headers else []
