# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the throughput of TCP over a path, and what it costs (RFC 6349)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.tcp_throughput import TcpThroughputResult, TransferPlan, measure_tcp_throughput
from ...methodology.verdicts.tolerance import at_least
from ...model.pattern import Multiple
from ...model.units.quantity import Octets
from ...model.units.units import Bandwidth, Duration, Ratio
from ...running.procedures.tcp_transfer import TcpTransferMeasurer
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies

_SECOND = Duration(10**9)
_WHOLE = Multiple(1)
_SOURCE = "Measure TCP Throughput"


@component
class TcpThroughput:
    """Transfers over TCP, held against what the slowest link of the path carries."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Measure TCP Throughput", tags=["measure"])
    def measure_tcp_throughput(
        self,
        name: str,
        bottleneck: Bandwidth,
        *windows: Multiple,
        connections: int = 1,
        size: Octets | None = None,
        duration: Duration | None = None,
        rounds: Duration = _SECOND,
    ) -> TcpThroughputResult:
        """Measures the round trip time of the quiet path, then a transfer for each window (RFC 6349).

        | ``name`` | the name of clients of `Start TCP Clients`; they start anew for each transfer |
        | ``bottleneck`` | the rate of frames that the slowest link carries, FCS included |
        | ``windows`` | the most bytes in flight, as multiples of the bandwidth-delay product; ``1x`` |
        | ``connections`` | how many connections share window and payload |
        | ``size`` | the payload of a transfer; by default what the bottleneck carries in the duration |
        | ``duration`` | how long an ideal transfer takes; the profile decides by default |
        | ``rounds`` | how long handshakes, 50 per second, measure the quiet path |

        The bottleneck is what the provider promises, or the throughput of frames of 1,518 bytes: a full
        segment, with 1,448 bytes of payload. During each transfer handshakes of other connections go on and
        show the round trip time.

        Returns a result: ``baseline_ns``, ``ideal_bps``, ``buffer_delay``, and ``measured``: a transfer for
        each window with ``throughput_bps``, ``time_ratio``, ``efficiency`` and ``round_trip_ns``. Verdicts
        judge the widest window.

        | `Start TCP Responder` | sink | port=p2 | servers=198.18.1.3:5001 |
        | `Start TCP Clients` | users | 198.18.1.3:5001 |
        | `Measure TCP Throughput` | users | 20 Mbps | 0.5x | 1x | 2x |
        | `Verify TCP Transfer Time Ratio Below` | 1.1x |
        """
        plan = TransferPlan(
            bottleneck=bottleneck,
            windows=windows or (_WHOLE,),
            connections=connections,
            octets=None if size is None else size.count,
            duration=duration or self._suite.profile.trial,
            rounds=rounds,
        )
        measurer = TcpTransferMeasurer(self._suite.tester, self._suite.connections, name)
        self._suite.progress.begin(f"TCP throughput of {name}")
        return self._suite.found(measure_tcp_throughput(measurer, plan))

    @keyword(name="Verify TCP Throughput Above", tags=["verify"])
    @verifies(TcpThroughputResult, at_least, source=_SOURCE)
    def verify_tcp_throughput_above(self, result: TcpThroughputResult, bound: Bandwidth) -> Verdict:
        """Passes if the payload was transferred at least at this rate.

        | ``bound`` | the least throughput of payload, such as ``18 Mbps`` |

        | `Verify TCP Throughput Above` | 18 Mbps |
        """
        return result.throughput_above(bound)

    @keyword(name="Verify TCP Transfer Time Ratio Below", tags=["verify"])
    @verifies(TcpThroughputResult, source=_SOURCE)
    def verify_tcp_transfer_time_ratio_below(self, result: TcpThroughputResult, bound: Multiple) -> Verdict:
        """Passes if the ratio of actual to ideal transfer time is at most the bound (RFC 6349 §4.1).

        | ``bound`` | the greatest ratio, such as ``1.1x`` |

        | `Verify TCP Transfer Time Ratio Below` | 1.1x |
        """
        return result.time_ratio_below(bound)

    @keyword(name="Verify TCP Efficiency Above", tags=["verify"])
    @verifies(TcpThroughputResult, at_least, source=_SOURCE)
    def verify_tcp_efficiency_above(self, result: TcpThroughputResult, bound: Ratio) -> Verdict:
        """Passes if at least this part of the transmitted payload was not retransmitted (RFC 6349 §4.2).

        | ``bound`` | the least part, such as ``99.9 %`` |

        | `Verify TCP Efficiency Above` | 99.9 % |
        """
        return result.efficiency_above(bound)

    @keyword(tags=["verify"])
    @verifies(TcpThroughputResult, source=_SOURCE)
    def verify_buffer_delay_below(self, result: TcpThroughputResult, bound: Multiple) -> Verdict:
        """Passes if the mean round trip time exceeded the baseline by at most the bound (RFC 6349 §4.3).

        | ``bound`` | the greatest multiple of the baseline: ``0.5x`` is a buffer delay of 50 % |

        | `Verify Buffer Delay Below` | 0.5x |
        """
        return result.buffer_delay_below(bound)
