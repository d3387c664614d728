# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A bridge that polices IP packets by their DSCP: what comes faster than its rate is lost."""

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
_LIMIT = "ip dscp {dscp} limit rate over {rate}/second burst {burst} packets drop"


@device("policer")
def build(
    namespace: Namespace, ports: Sequence[DutPort], *, rates: Mapping[str, int], burst: int = 20
) -> None:
    """Each DSCP has a bucket of `burst` packets filled at its rate, in packets each second.

    Policed is what arrives at the first port; packets of another DSCP are not limited.
    """
    bridge.build(namespace, ports)
    limits = (_LIMIT.format(dscp=dscp, rate=rate, burst=burst) for dscp, rate in rates.items())
    load_nftables(namespace, _RULES.format(interface=ports[0].interface, limits="\n    ".join(limits)))
