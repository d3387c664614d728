# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers of IPv6 in a switch: of the source of an answer 96 bits are those of its template."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address

from ...errors import PlanError
from ...model.plan.planned_end import PlannedEnd
from .classes import IPV6_SERVERS
from .replies import replies_only

_KEPT, _CARRIED = 96, 32  # bits of the source


def first_server(end: PlannedEnd) -> int | None:
    """The first server of IPv6 that an end answers for; None: it answers IPv4."""
    return next((accept.first for accept in end.accepts if accept.field == IPV6_SERVERS), None)


def check_prefixes(ends: Sequence[PlannedEnd]) -> None:
    """PlanError for servers of several prefixes of 96 bits that share the templates of a protocol."""
    known: dict[str, int] = {}
    for end in ends:
        if end.is_trigger or replies_only(end.protocol):
            continue
        for accept in end.accepts:
            if accept.field != IPV6_SERVERS:
                continue
            for server in (accept.first, accept.first + accept.count - 1):
                first = known.setdefault(end.protocol.name, server)
                if server >> _CARRIED != first >> _CARRIED:
                    raise PlanError(
                        f"{end.name!r}: {end.protocol.name} answers for {IPv6Address(server)}, and for "
                        f"{IPv6Address(first)}; in a switch a protocol has one set of templates, which have "
                        f"the first {_KEPT} bits of the addresses of servers: give servers= of one prefix of "
                        f"{_KEPT} bits, or leave one of them out"
                    )
