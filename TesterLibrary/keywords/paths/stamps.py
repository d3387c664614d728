# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that time packets of others around a device (P4STA)."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator
from robot.api import logger
from robot.api.deco import keyword

from ...errors import PlanError, did_you_mean
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
from .._unit import COUNT, TIME

_KEPT = {kept.name.lower(): kept for kept in Kept}
_ONE_SECOND = Duration(10**9)
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

        | ``name`` | the name of these stamps, for other keywords |
        | ``between`` | two paths: from the first host to the device, and from the device to the second host |
        | ``mode`` | ``stamp``: two times are put into each packet; ``match``: packets stay as they are |
        | ``headers`` | headers of the packets that are timed, ``IP / TCP``; all packets by default |
        | ``direction`` | ``forward`` (from the first host to the second one), ``backward`` or ``both`` |
        | ``data_only`` | True times only packets with payload |
        | ``remove`` | ``mode=stamp``: True removes stamps again behind the device; False leaves them in |
        | ``mtu`` | ``mode=stamp``: the longest IP packet with its stamp, in bytes; longer ones get none |
        | ``kept`` | ``mode=match``: the parts of a packet that the device does not change, see below |
        | ``timeout`` | the time after which a packet counts as lost |
        | ``flows`` | flows counted one by one in each direction; 4096 by default, at most 65535 or 2^20 |
        | ``under_way`` | ``mode=match``: the most packets under way at once in each direction |
        | ``interval`` | the length of the intervals of the series over time; 100 ms by default |

        The tester stamps a packet just before it leaves to the device, and recognises it just after it comes
        back on the other path. One CPU of the tester has to serve both paths.

        A stamp is 16 bytes: an option of TCP, kind 0x0f, or the beginning of a payload of UDP (P4STA). With
        VXLAN or GTP-U among the ``headers`` the stamp is in the inner packet. Lengths and checksums follow.
        Let hosts send packets that are 16 bytes shorter than the MTU. ``remove=False`` overwrites the first
        16 bytes of a payload of UDP.

        ``kept`` is a list of ``source``, ``destination``, ``source_port``, ``destination_port``,
        ``identification``, ``sequence``, ``acknowledgment`` and ``payload``. By default it has all of them,
        or the last four if the device translates addresses. Two packets that are equal in all of ``kept``
        count as ``ambiguous`` while both are under way, and have no delay. A proxy makes segments of its own:
        with ``kept=payload`` and ``data_only=True`` a segment that the proxy passes on unchanged is timed.

        `Stop Path` ends the stamps when all packets under way are back. `Verify Loss Below`, `Verify Latency
        Below` and `Verify Delay Below` judge the result. Returns the name.

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
                kept=tuple(map(_kept, kept)) or kept_by(self._suite.open_testbed.tester.forwarding),
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
        """Returns the statistics of stamped packets, and asserts if an operator is given.

        | ``name`` | the name of the stamps; may be left out if there is only one group |
        | ``statistic`` | a count, or a time in nanoseconds; by default all of them as one result |
        | ``assertion_expected`` | a number of packets, or a time such as ``5 ms`` |
        | ``direction`` | ``forward`` or ``backward``; by default counts are of both |

        | =Count= | =Meaning= |
        | ``sent``, ``received`` | packets to the device, and packets back in time |
        | ``lost``, ``late`` | packets not back in time, and packets back after the ``timeout`` |
        | ``duplicated``, ``reordered`` | packets back again, and behind one that was sent later |
        | ``ambiguous`` | packets that are equal to another one under way |
        | ``uncovered`` | packets to the device without a stamp: the sum of the next five counts |
        | ``too_long``, ``no_room`` | packets without room for a stamp |
        | ``occupied`` | packets with an option of kind 0x0f already |
        | ``unfit`` | fragments, and other protocols |
        | ``overflowed`` | packets without room among those under way |
        | ``unstamped`` | packets back without a stamp |
        | ``unknown`` | the number by which ``unstamped`` exceeds ``uncovered`` |
        | ``untracked`` | packets of flows that are not counted one by one |

        ``flows`` is the number of flows. A switch counts neither ``flows`` nor ``untracked``. It counts
        ``duplicated`` and ``reordered`` only if both are 0; otherwise ``behind`` is the number of packets
        that came back again, or behind one that was sent later. None stands for what a tester does not count.

        Times of one direction: ``min``, ``mean``, ``max``, ``std``, a percentile (``p99.9``), ``pdv99.9``,
        ``ipdv_mean``, ``ipdv_max``. Without a statistic the result is returned, and `Verify …` judges it;
        ``${result.packets('forward')}`` has these as attributes.

        While packets are stamped, it waits for those under way, for the ``timeout`` at most.

        | `Get Stamp Statistics` | load | lost | == | 100 |
        | `Get Stamp Statistics` | load | p99 | < | 5 ms | direction=forward |
        """
        result = self._suite.paths.stamps.result(name)
        if statistic is None:
            return self._suite.found(result)
        figure = result.value(statistic, _ONLY[direction])
        value: float | None = asserted(
            self._suite,
            figure.value,
            assertion_operator,
            assertion_expected,
            subject=f"{'delay' if figure.is_time else 'packets'} {statistic} of {result.name}",
            unit=TIME if figure.is_time else COUNT,
            doubt=figure.doubt,
            message=message,
        )
        return value

    @keyword(tags=["path", "stamp", "get"])
    def get_stamped_flows(
        self, name: str | None = None, direction: Heading = Heading.FORWARD
    ) -> list[StampedPackets]:
        """Returns the flows of stamped packets, in the order in which they appeared.

        | ``name`` | the name of the stamps; may be left out if there is only one group |
        | ``direction`` | ``forward`` or ``backward`` |

        Each flow has ``name`` (addresses and ports as sent), ``sent``, ``received``, ``lost``, ``late``,
        ``reordered``, ``delay`` (``min``, ``mean``, ``max``; also ``p50`` and ``p99`` for the first 256
        flows), ``std_ns`` and ``ipdv_mean_ns``. Before `Stop Path` these are the values of this moment, and
        packets may be under way. `Stop Path` writes them to a CSV file in ``evidence/stamps``, and the
        intervals of time to another one. A switch counts no flows.

        | ${flows} = | `Get Stamped Flows` | load |
        | Should Be Equal As Integers | ${flows[0].lost} | 0 |
        """
        heading = _ONLY[direction]
        if heading is None:
            raise PlanError("direction=both: flows are of one direction; give forward or backward")
        flows = [packets_of(flow) for flow in self._suite.paths.stamps.flows(name, heading)]
        logger.info("\n".join(map(str, flows)))
        return flows


def _kept(word: str) -> Kept:
    if word.lower() not in _KEPT:
        raise PlanError(f"kept={word}{did_you_mean(word, list(_KEPT))}; allowed are {', '.join(_KEPT)}")
    return _KEPT[word.lower()]
