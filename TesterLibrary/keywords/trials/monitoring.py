# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that watch traffic while it runs."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator, verify_assertion
from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.interval import Interval
from ...methodology.monitoring import MonitoringResult
from ...methodology.result import Result
from ...methodology.verdicts.interval_series import IntervalStatistic, each_as_expected, exactly
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from ...verdict import Verdict, operator_text
from .._component import component
from .._unit import BITS_EACH_SECOND, COUNT, FRAMES_EACH_SECOND, RATIO, TIME, Unit

_UNITS: dict[IntervalStatistic, Unit] = {
    IntervalStatistic.SENT: COUNT,
    IntervalStatistic.RECEIVED: COUNT,
    IntervalStatistic.LOST: COUNT,
    IntervalStatistic.LOSS: RATIO,
    IntervalStatistic.RECEIVED_RATE: FRAMES_EACH_SECOND,
    IntervalStatistic.THROUGHPUT: BITS_EACH_SECOND,
    IntervalStatistic.DELAY: TIME,
}


@component
class Monitoring:
    """Loss, throughput and delay, interval by interval."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["monitoring"])
    def start_monitoring(self, interval: Duration = Duration.parse("1 s")) -> None:
        """Watches what `Start Traffic` has put on the wire: one line on the console for each interval.

        | =Argument= | =Meaning= |
        | ``interval`` | the time from one reading to the next, such as ``1 s`` |

        Each frame carries the interval it belongs to in one bit of its header: the highest of the IPv4
        identification, of the IPv6 flow label, or what `Set Version Field` says. So a frame is counted in the
        interval in which it was sent, whenever it arrives, and a device that loses nothing has lost 0 in
        every one, however long its queues are. An interval is longer than asked for where frames of the one
        before are still on their way.

        Where frames have no such bit, there is one interval: from the start of the traffic to `Stop Traffic`.
        Where the device writes over it, the intervals before that stay, and one more lasts to `Stop Traffic`.

        | `Start Traffic` | north |
        | `Start Monitoring` | interval=1 s |
        | Sleep | 10 s |
        | `Stop Traffic` |
        | `Verify Interval Loss Below` | 0 |
        """
        self._suite.traffic.start_monitoring(interval)

    @keyword(tags=["monitoring"])
    def stop_monitoring(self) -> MonitoringResult:
        """Ends the last interval and returns all of them; `Stop Traffic` does so too.

        Returns a result: ``intervals``, ``lost``, ``sent`` (frames), ``worst`` (the interval that lost the
        greatest part), ``method`` (VERSION or QUIESCING) and ``reason`` (why not VERSION).

        | ${result} = | `Stop Monitoring` |
        | Log | ${result.worst} |
        """
        result = self._suite.traffic.stop_monitoring()
        self._suite.remember(result)
        return result

    @keyword(tags=["monitoring", "get"])
    def get_interval_series(
        self,
        statistic: IntervalStatistic | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> tuple[Interval, ...] | tuple[Any, ...]:
        """Returns the intervals that have ended in this test, also while traffic runs, or a figure of each.

        | =Argument= | =Meaning= |
        | ``statistic`` | SENT, RECEIVED, LOST, LOSS, RECEIVED_RATE, THROUGHPUT or DELAY of each |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | frames, a ratio, ``1 kpps``, ``1 Gbps`` or a time; it has to hold in each |
        | ``message`` | in place of the usual one if the assertion fails |

        LOST and LOSS are None in an interval in which frames may have arrived twice and hide lost ones.
        Attributes of each: ``number``, ``sent``, ``received``, ``lost`` (frames, at least; ``most_lost``),
        ``loss`` (0 to 1),
        ``received_rate`` (frames/s), ``throughput_bps`` (L2), ``delay_ns`` (mean, measured blind; None where
        nothing arrived), ``delay_bound_ns`` (the most by which lost frames make it wrong), ``start_ns``,
        ``end_ns``, ``guard_ns`` (how long its last frames were waited for), ``streams`` and ``ports``. Of a
        port: ``name``, and the interval's frames and bytes that left it and arrived there, of all streams
        with a version and wherever they were expected: ``sent``, ``sent_bytes``, ``received``,
        ``received_bytes``.

        | `Get Interval Series` | LOST | == | 0 |
        | @{series} = | `Get Interval Series` |
        | Log | ${series[0].received_rate} |
        """
        traffic = self._suite.traffic
        if statistic is None:
            return traffic.intervals()
        values = tuple(exactly(interval, statistic) for interval in traffic.intervals())
        if assertion_operator is None:
            return values
        if assertion_operator is AssertionOperator["then"]:
            return tuple(verify_assertion(values, assertion_operator, assertion_expected))
        name = statistic.name.lower().replace("_", " ")
        expected = _UNITS[statistic].expected(assertion_operator, assertion_expected, subject=name)
        bound = f"{operator_text(assertion_operator)} {assertion_expected}"
        monitored = traffic.monitored()
        self._suite.conclude(
            each_as_expected(monitored, statistic, assertion_operator, expected, bound), message
        )
        return values

    @keyword(tags=["monitoring", "verify"])
    def verify_interval_loss_below(
        self, bound: Ratio, measured: Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if no interval lost a greater part of its frames than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent in the interval |
        | ``measured`` | what `Stop Monitoring` returned; what this test monitored last, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        While traffic is monitored the intervals that have ended so far are judged, and monitoring goes on.

        | `Verify Interval Loss Below` | 0 |
        """
        result = measured or self._suite.traffic.monitored()
        if not isinstance(result, MonitoringResult):
            raise TesterLibraryError(f"this has no intervals; give the result of Stop Monitoring: {result}")
        return self._suite.conclude(at_most(result.verdict_below, bound, within))
