# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the longest packet that a path carries whole."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.path_mtu import PathMtuResult, PathMtuSearch, find_path_mtu
from ...methodology.result import Result
from ...model.units.units import Duration
from ...running.probes import PacketProbes
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

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

        | =Argument= | =Meaning= |
        | ``name`` | the stream whose packets are sent, at its rate, in other sizes than its own |
        | ``lowest`` | bytes of the packet with which the search begins, IP header included |
        | ``highest`` | bytes of the longest packet that is tried: what the ports carry at most |
        | ``duration`` | how long packets of each size are sent |

        A size passes if one of its packets arrives, so that other loss does not matter. A packet that arrives
        in pieces does not count. Give the stream a rate that the path carries, some packets for each size.

        Returns a result: ``mtu`` and ``failed_at``, in bytes.

        | `Create Stream` | north | rate=200 pps |
        | `Find Path MTU` | north |
        | `Verify Path MTU Above` | 1500 |
        """
        probes = PacketProbes(
            self._suite.tester, self._suite.stream(name), duration, note=self._suite.remember
        )
        search = PathMtuSearch(lowest, highest)
        search.validate()
        for size in (lowest, highest):
            probes.check(size)
        self._suite.progress.begin(f"path MTU of {name}")
        return self._suite.found(find_path_mtu(probes, search))

    @keyword(name="Verify Path MTU Above", tags=["verify"])
    def verify_path_mtu_above(self, bound: int, measured: Trial | Result | None = None) -> Verdict:
        """Passes if packets of so many bytes get through whole, at least.

        | =Argument= | =Meaning= |
        | ``bound`` | bytes of a packet, IP header included, such as ``1500`` |
        | ``measured`` | a result of `Find Path MTU`; the last one of the test, if it is left out |

        | `Verify Path MTU Above` | 1500 |
        """
        result = self._suite.judged_as(PathMtuResult, measured, about="the path MTU", source="Find Path MTU")
        return self._suite.conclude(result.verdict_above(bound))
