# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the longest packet that a path carries whole (RFC 6349 §3.1)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.path_mtu import PathMtuResult, PathMtuSearch, find_path_mtu
from ...model.units.units import Duration
from ...running.probes import PacketProbes
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

_SHORT = Duration(10**8)


@component
class PathMtu:
    """The path MTU, by probes."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Find Path MTU", tags=["find"])
    def find_path_mtu(
        self, name: str, lowest: int = 576, highest: int = 1500, duration: Duration = _SHORT
    ) -> PathMtuResult:
        """Searches the longest packet of a stream that arrives whole, exactly (RFC 6349 §3.1, RFC 8899).

        | ``name`` | the name of the stream; its packets are sent at its rate, in other sizes |
        | ``lowest`` | the packet size in bytes at which the search begins, IP header included |
        | ``highest`` | the longest packet that is tried, in bytes; no more than the ports carry |
        | ``duration`` | how long packets of each size are sent |

        A size passes if one of its packets arrives, so other loss does not matter. A packet that arrives in
        pieces does not count. Give the stream a rate that the path carries, with some packets for each size.

        Returns a result: ``mtu`` and ``failed_at``, in bytes.

        | `Create Stream` | north | rate=200 pps |
        | `Find Path MTU` | north |
        | `Verify Path MTU Above` | 1500 |
        """
        suite, search = self._suite, PathMtuSearch(lowest, highest)
        probes = PacketProbes(suite.tester, suite.stream(name), duration, note=suite.remember)
        search.validate()
        probes.check(lowest, highest)
        suite.progress.begin(f"path MTU of {name}")
        return suite.found(find_path_mtu(probes, search))

    @keyword(name="Verify Path MTU Above", tags=["verify"])
    @verifies(PathMtuResult, source="Find Path MTU")
    def verify_path_mtu_above(self, result: PathMtuResult, bound: int) -> Verdict:
        """Passes if packets of at least this size arrive whole.

        | ``bound`` | bytes of a packet, IP header included, such as ``1500`` |

        | `Verify Path MTU Above` | 1500 |
        """
        return result.verdict_above(bound)
