# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the throughput of TCP over a path, and what it costs (RFC 6349)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.result import Result
from ...methodology.tcp_throughput import TcpThroughputResult, TransferPlan, measure_tcp_throughput
from ...methodology.verdicts.tolerance import at_least
from ...model.pattern import Multiple
from ...model.units.quantity import Octets
from ...model.units.units import Bandwidth, Duration, Ratio
from ...running.suite import Suite
from ...running.tcp_transfer import TcpTransferMeasurer
from ...verdict import Verdict
from .._component import component

_SECOND = Duration(10**9)
_WHOLE = Multiple(1)


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

        | =Argument= | =Meaning= |
        | ``name`` | the name of clients of `Start TCP Clients`: they start anew for each transfer |
        | ``bottleneck`` | the rate of frames that the slowest link carries, FCS included |
        | ``windows`` | bytes on their way at most, as multiples of the bandwidth-delay product; ``1x`` |
        | ``connections`` | how many connections share window and payload |
        | ``size`` | the payload of a transfer; what the bottleneck carries in the duration, if left out |
        | ``duration`` | how long an ideal transfer takes; as the profile says, if left out |
        | ``rounds`` | for how long handshakes look at the quiet path, 50 each second |

        The bottleneck is what the provider promises, or the throughput of frames of 1,518 bytes: a full
        segment, with 1,448 bytes of payload. Handshakes of other connections go on beside each transfer and
        show the round trip time.

        Returns a result: ``baseline_ns``, ``ideal_bps``, ``buffer_delay``, and ``measured``, a transfer for
        each window with ``throughput_bps``, ``time_ratio``, ``efficiency`` and ``round_trip_ns``. Verdicts
        are on the widest window.

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
    def verify_tcp_throughput_above(
        self, bound: Bandwidth, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if at least so many bits of payload were transferred each second.

        | =Argument= | =Meaning= |
        | ``bound`` | the least throughput of payload, such as ``18 Mbps`` |
        | ``measured`` | a result of `Measure TCP Throughput`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify TCP Throughput Above` | 18 Mbps |
        """
        return self._suite.conclude(at_least(self._judged(measured).throughput_above, bound, within))

    @keyword(name="Verify TCP Transfer Time Ratio Below", tags=["verify"])
    def verify_tcp_transfer_time_ratio_below(
        self, bound: Multiple, measured: Trial | Result | None = None
    ) -> Verdict:
        """Passes if the transfer took at most so many times the ideal time (RFC 6349 §4.1).

        | =Argument= | =Meaning= |
        | ``bound`` | the greatest ratio of actual to ideal time, such as ``1.1x`` |
        | ``measured`` | a result of `Measure TCP Throughput`; the last one of the test, if it is left out |

        | `Verify TCP Transfer Time Ratio Below` | 1.1x |
        """
        return self._suite.conclude(self._judged(measured).time_ratio_below(bound))

    @keyword(name="Verify TCP Efficiency Above", tags=["verify"])
    def verify_tcp_efficiency_above(
        self, bound: Ratio, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if at least such a part of the payload that was sent was not sent again (RFC 6349 §4.2).

        | =Argument= | =Meaning= |
        | ``bound`` | the least part, such as ``99.9 %`` |
        | ``measured`` | a result of `Measure TCP Throughput`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify TCP Efficiency Above` | 99.9 % |
        """
        return self._suite.conclude(at_least(self._judged(measured).efficiency_above, bound, within))

    @keyword(tags=["verify"])
    def verify_buffer_delay_below(self, bound: Multiple, measured: Trial | Result | None = None) -> Verdict:
        """Passes if the mean round trip was longer than the baseline by at most so much (RFC 6349 §4.3).

        | =Argument= | =Meaning= |
        | ``bound`` | the greatest multiple of the baseline: ``0.5x`` is a buffer delay of 50 % |
        | ``measured`` | a result of `Measure TCP Throughput`; the last one of the test, if it is left out |

        | `Verify Buffer Delay Below` | 0.5x |
        """
        return self._suite.conclude(self._judged(measured).buffer_delay_below(bound))

    def _judged(self, measured: Trial | Result | None) -> TcpThroughputResult:
        return self._suite.judged_as(
            TcpThroughputResult, measured, about="TCP throughput", source="Measure TCP Throughput"
        )
