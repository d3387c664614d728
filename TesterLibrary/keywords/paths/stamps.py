# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that time the traffic of others around a device."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api import logger
from robot.api.deco import keyword

from ...errors import Inconclusive, PlanError
from ...files.document import did_you_mean
from ...measurement.stamps import StampedPackets, packets_of
from ...methodology.stamps import StampResult
from ...model.headers import HeaderStack
from ...model.heading import Heading
from ...model.stamps import Kept, LoadedPath, StampMode, Stamps, kept_by
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration
from ...running.suite import Suite
from .._assertion import asserted
from .._component import component
from .._unit import TIME

_KEPT = {kept.name.lower(): kept for kept in Kept}
_ONE_SECOND = Duration(10**9)
_COUNTS = (
    *("sent", "received", "lost", "late", "duplicated", "reordered", "behind", "ambiguous"),
    *("uncovered", "unknown"),
    *("unstamped", "unfit", "occupied", "no_room", "too_long", "overflowed", "untracked", "flows"),
)
_UNCOUNTED = "this tester does not count them, or does not tell them from others"
_NOTHING = "no packet came back that is known again"
_ONLY = {Heading.BOTH: None, Heading.FORWARD: "forward", Heading.BACKWARD: "backward"}


@component
class TrafficStamps:
    """Packets that others send, timed from the device's one side to its other one."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "stamp"])
    def stamp_traffic(
        self,
        name: str,
        between: Names,
        mode: StampMode = StampMode.STAMP,
        headers: HeaderStack | None = None,
        *,
        direction: Heading = Heading.BOTH,
        data_only: bool = False,
        remove: bool = True,
        mtu: int = 1500,
        kept: Names = NO_NAMES,
        timeout: Duration = _ONE_SECOND,
        flows: int | None = None,
        under_way: int = 1 << 18,
        interval: Duration | None = None,
    ) -> str:
        """Times what hosts send through a device that lies between two paths, from `Start Path` on.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call these stamps |
        | ``between`` | two paths: from the first host to the device, and from the device to the second host |
        | ``mode`` | ``stamp``: two times are put into each packet; ``match``: packets stay as they are |
        | ``headers`` | headers of the packets that are timed, ``IP / TCP``; all, if left out |
        | ``direction`` | ``forward`` (from the first host to the second one), ``backward`` or ``both`` |
        | ``data_only`` | True times only packets with payload |
        | ``remove`` | ``mode=stamp``: True takes stamps out again behind the device; False leaves them in |
        | ``mtu`` | ``mode=stamp``: the longest IP packet with its stamp, in bytes; longer ones get none |
        | ``kept`` | ``mode=match``: what the device keeps of a packet, by which it is known again |
        | ``timeout`` | a packet that comes back later is lost |
        | ``flows`` | flows of each direction counted one by one, 4096 if left out; at most 65535, or 2^20 |
        | ``under_way`` | ``mode=match``: how many packets can be under way at once in each direction |
        | ``interval`` | how long the intervals of the series over time are; 100 ms, if left out |

        A packet is stamped as the last thing before it leaves to the device, and known again as the first
        thing when it comes back on the other path. One CPU of the tester has to serve both paths.

        A stamp is 16 bytes: an option of TCP, kind 0x0f, or the begin of a payload of UDP (P4STA). With
        VXLAN or GTP-U among the ``headers`` it is in the inner packet. Lengths and checksums follow.
        Have hosts send packets that are 16 bytes shorter than the MTU. ``remove=False`` writes over the
        first 16 bytes of a payload of UDP.

        ``kept`` is a list of ``source``, ``destination``, ``source_port``, ``destination_port``,
        ``identification``, ``sequence``, ``acknowledgment`` and ``payload``; if left out, all of them,
        or the last four of a device that translates addresses. Two packets that do not differ in any of
        it are counted as ``ambiguous`` while both are under way, and their delays are not guessed.
        Behind a proxy, which makes segments of its own, give ``kept=payload`` and ``data_only=True``: a
        segment that it passes on as it was is timed.

        `Stop Path` ends the stamps when what is under way is back, and `Verify Loss Below`, `Verify Latency
        Below` and `Verify Delay Below` judge what was found. Returns the name.

        | `Create Path` | north | between=p1,p2 |
        | `Create Path` | south | between=p3,p4 |
        | `Stamp Traffic` | load | between=north,south | headers=IP / TCP |
        | `Start Path` |
        | `Run On Host` | client | iperf3 -c 198.18.2.2 -t 2 |
        | `Stop Path` |
        | `Verify Loss Below` | 0 |
        | `Verify Latency Below` | 5 ms | percentile=99 |
        """

        def described(paths: tuple[LoadedPath, LoadedPath]) -> Stamps:
            return Stamps(
                name=name,
                paths=paths,
                mode=mode,
                headers=headers,
                heading=direction,
                data_only=data_only,
                remove=remove,
                mtu=mtu,
                kept=tuple(_kept(word) for word in kept)
                or kept_by(self._suite.open_testbed.tester.forwarding),
                timeout=timeout,
                flows=flows,
                under_way=under_way,
                interval=interval,
            )

        self._suite.paths.stamp(between, described)
        return name

    @keyword(tags=["path", "stamp", "get"])
    def get_stamp_statistics(
        self,
        name: str | None = None,
        statistic: str | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
        *,
        direction: Heading = Heading.BOTH,
    ) -> StampResult | int | float | None:
        """Returns what became of stamped packets, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stamps; may be left out where there is one group only |
        | ``statistic`` | a count, or a time in nanoseconds; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many packets, or a time such as ``5 ms`` |
        | ``message`` | a text in place of the usual one if the assertion fails |
        | ``direction`` | ``forward`` or ``backward``; counts are of both, if left out |

        Counts: ``sent``, ``received``, ``lost``, ``late``, ``duplicated``, ``reordered``; ``ambiguous``;
        ``uncovered``, packets that went to the device without a stamp, which are ``too_long``, ``no_room``,
        ``occupied`` (they have an option of kind 0x0f), ``unfit`` (fragments, other protocols) or
        ``overflowed``; ``unstamped``, which came from it without one, and ``unknown``, by how many these are
        more; ``flows``, and ``untracked``, packets of flows without room. A switch counts neither of the last
        two; ``duplicated`` and ``reordered`` it knows where they are 0, else ``behind`` is how many packets
        came back after one that was sent later, or once more. None stands for what a tester does not count.

        Times of one direction: ``min``, ``mean``, ``max``, ``std``, a percentile (``p99.9``), ``pdv99.9``,
        ``ipdv_mean``, ``ipdv_max``. Without a statistic the result is returned and is what `Verify …` judges;
        ``${result.packets('forward')}`` has these as attributes.

        While packets are stamped it waits for those under way, for the ``timeout`` at most.

        | `Get Stamp Statistics` | load | lost | == | 100 |
        | `Get Stamp Statistics` | load | p99 | < | 5 ms | direction=forward |
        """
        result = self._suite.paths.stamps.result(name)
        if statistic is None:
            return self._suite.found(result)
        only = _ONLY[direction]
        if statistic in _COUNTS:
            count = result.count(statistic, only)
            found: int | None = asserted(
                self._suite,
                count,
                assertion_operator,
                assertion_expected,
                subject=f"packets {statistic} of {result.name}",
                doubt=result.doubt or (_UNCOUNTED if count is None else ""),
                message=message,
            )
            return found
        if statistic[:1] not in "msip" or not statistic.isascii():
            raise PlanError(
                f"{statistic!r} is no statistic of stamps{did_you_mean(statistic, list(_COUNTS))}; the "
                "documentation of Get Stamp Statistics lists them"
            )
        value = result.time(statistic, only)
        if value is None:
            why = "this tester does not measure it" if result.packets(only).delay.count else _NOTHING
            raise Inconclusive(f"{statistic} of {result.name}: {why}")
        return float(
            asserted(
                self._suite,
                value,
                assertion_operator,
                assertion_expected,
                subject=f"delay {statistic} of {result.name}",
                unit=TIME,
                doubt=result.doubt,
                message=message,
            )
        )

    @keyword(tags=["path", "stamp", "get"])
    def get_stamped_flows(
        self, name: str | None = None, direction: Heading = Heading.FORWARD
    ) -> list[StampedPackets]:
        """Returns the flows of stamped packets, in the order in which they appeared.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stamps; may be left out where there is one group only |
        | ``direction`` | ``forward`` or ``backward`` |

        Each has ``name`` (addresses and ports as sent), ``sent``, ``received``, ``lost``, ``late``,
        ``reordered``, ``delay`` (``min``, ``mean``, ``max``; of the first 256 flows ``p50`` and ``p99``),
        ``std_ns`` and ``ipdv_mean_ns``. Before `Stop Path` they are as they are now, and packets may be under
        way; `Stop Path` writes them to a CSV file in ``evidence/stamps``, and intervals of time to another
        one. A switch counts no flows.

        | ${flows} = | `Get Stamped Flows` | load |
        | Should Be Equal As Integers | ${flows[0].lost} | 0 |
        """
        heading = _ONLY[direction]
        if heading is None:
            raise PlanError("direction=both: flows are of one direction; give forward or backward")
        found = [packets_of(flow) for flow in self._suite.paths.stamps.flows(name, heading)]
        logger.info("\n".join(map(str, found)))
        return found


def _kept(word: str) -> Kept:
    if word.lower() not in _KEPT:
        raise PlanError(f"kept={word}{did_you_mean(word, list(_KEPT))}; allowed are {', '.join(_KEPT)}")
    return _KEPT[word.lower()]
