# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bridge that polices IP packets by their DSCP: what comes faster than its rate is lost, or marked anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..programs import load_nftables
from . import DutPort, bridge, device

if TYPE_CHECKING:
    from ..namespace import Namespace

_RULES = """\
table netdev policing {{
  chain arriving {{
    type filter hook ingress device {interface} priority 0
    {limits}
  }}
}}
"""
# A limit in bytes would hold a second's worth besides its burst: no short trial would see it.
_LIMIT = "ip dscp {dscp} limit rate over {rate}/second burst {burst} packets {fate}"


@device("policer")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    rates: Mapping[str, int],
    bursts: Mapping[str, int] = {},
    burst: int = 20,
    marks: Mapping[str, str] = {},
) -> None:
    """Each DSCP has a bucket filled at its rate, in packets each second.

    It holds `burst` packets, or as many as `bursts` says for its DSCP. What finds it empty is lost, unless
    `marks` names another DSCP for it: it goes on with that one, and may be policed by it. Policed is what
    arrives at the first port; packets of another DSCP are not limited.
    """
    bridge.build(namespace, ports)
    in_turn = sorted(rates.items(), key=lambda each: each[0] not in marks)  # what is marked anew comes first
    limits = (
        _LIMIT.format(
            dscp=dscp,
            rate=rate,
            burst=bursts.get(dscp, burst),
            fate=f"ip dscp set {marks[dscp]}" if dscp in marks else "drop",
        )
        for dscp, rate in in_turn
    )
    load_nftables(namespace, _RULES.format(interface=ports[0].interface, limits="\n    ".join(limits)))
