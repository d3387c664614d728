# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that watch traffic while it runs, interval by interval."""

from __future__ import annotations

from typing import Any

from assertionengine import AssertionOperator, verify_assertion
from robot.api.deco import keyword

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
from .._verifies import judged_as

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
        """Watches the traffic that `Start Traffic` has started: one line on the console for each interval.

        | ``interval`` | the time from one reading to the next, such as ``1 s`` |

        One bit in the header of each frame says to which interval the frame belongs: the highest bit of the
        IPv4 identification or of the IPv6 flow label, or the bit that `Set Version Field` chooses. So a frame
        counts in the interval in which it was sent, whenever it arrives. A device that loses nothing has lost
        0 in every interval, however long its queues are. An interval is longer than asked for if frames of
        the interval before are still on their way.

        If frames have no such bit, there is one interval, from the start of the traffic to `Stop Traffic`.
        If the device overwrites the bit, the intervals before that are kept, and one more interval lasts
        until `Stop Traffic`.

        | `Start Traffic` | north |
        | `Start Monitoring` | interval=1 s |
        | Sleep | 10 s |
        | `Stop Traffic` |
        | `Verify Interval Loss Below` | 0 |
        """
        self._suite.traffic.start_monitoring(interval)

    @keyword(tags=["monitoring"])
    def stop_monitoring(self) -> MonitoringResult:
        """Ends the last interval and returns all intervals; `Stop Traffic` does so too.

        Returns a result: ``intervals``, ``lost``, ``sent`` (frames), ``worst`` (the interval that lost the
        greatest part), ``method`` (VERSION or QUIESCING) and ``reason`` (why the method is not VERSION).

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

        | ``statistic`` | SENT, RECEIVED, LOST, LOSS, RECEIVED_RATE, THROUGHPUT or DELAY of each interval |
        | ``assertion_expected`` | frames, a ratio, ``1 kpps``, ``1 Gbps`` or a time; holds in each interval |

        All but SENT and DELAY are None in an interval in which frames may have arrived twice and hide lost
        frames, of streams without signature, and while missing frames may still be on their way. An assertion
        judges their bounds.
        Attributes of an interval: ``number``, ``sent``, ``received``, ``lost`` (missing frames;
        ``least_lost`` and ``most_lost``), ``loss`` (0 to 1), ``received_rate`` (frames/s),
        ``throughput_bps`` (L2), ``delay_ns`` (mean, measured blind; None if nothing arrived),
        ``delay_bound_ns`` (the greatest error because of
        lost frames), ``start_ns``, ``end_ns``, ``guard_ns`` (how long the tester waited for the last frames),
        ``streams`` and ``ports``. A port has ``name`` and the frames and bytes of the interval that left it
        and arrived there, of all streams with a version: ``sent``, ``sent_bytes``, ``received``,
        ``received_bytes``.

        | `Get Interval Series` | LOST | == | 0 |
        | @{series} = | `Get Interval Series` |
        | Log | ${series[0].received_rate} |
        """
        intervals = self._suite.traffic.intervals()
        if statistic is None:
            return intervals
        values = tuple(exactly(interval, statistic) for interval in intervals)
        return self._asserted(values, statistic, assertion_operator, assertion_expected, message)

    @keyword(tags=["monitoring", "verify"])
    def verify_interval_loss_below(
        self, bound: Ratio, measured: Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if no interval lost a greater part of its frames than the bound.

        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent in the interval |
        | ``measured`` | what `Stop Monitoring` returned; by default what this test monitored last |

        While traffic is monitored, it judges the intervals that have ended so far, and monitoring goes on.

        | `Verify Interval Loss Below` | 0 |
        """
        measured = measured or self._suite.traffic.monitored()
        result = judged_as(self._suite, MonitoringResult, measured, "Stop Monitoring")
        return self._suite.conclude(at_most(result.verdict_below, bound, within))

    def _asserted(
        self,
        values: tuple[Any, ...],
        statistic: IntervalStatistic,
        operator: AssertionOperator | None,
        expected: Any,
        message: str | None,
    ) -> tuple[Any, ...]:
        """The values; with an operator they are judged, or replaced by what `then` evaluates."""
        if operator is None:
            return values
        if operator is AssertionOperator["then"]:
            return tuple(verify_assertion(values, operator, expected))
        name = statistic.name.lower().replace("_", " ")
        number = _UNITS[statistic].expected(operator, expected, subject=name)
        bound = f"{operator_text(operator)} {expected}"
        monitored = self._suite.traffic.monitored()
        self._suite.conclude(each_as_expected(monitored, statistic, operator, number, bound), message)
        return values
