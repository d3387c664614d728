# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that watch traffic while it runs."""

from __future__ import annotations

from robot.api.deco import keyword

from ..errors import TesterLibraryError
from ..measurement.interval import Interval
from ..methodology.monitoring import MonitoringResult
from ..methodology.result import Result
from ..model.units import Duration, Ratio
from ..session import Session
from ..verdict import Verdict
from ._component import component


@component
class Monitoring:
    """Loss, throughput and delay, interval by interval."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["monitoring"])
    def start_monitoring(self, interval: Duration = Duration.parse("1 s")) -> None:
        """Watches what `Start Traffic` has put on the wire: one line on the console for each interval.

        | =Argument= | =Meaning= |
        | ``interval`` | from one reading to the next, such as ``1 s`` |

        Each frame carries the interval it belongs to in one bit of its header: the highest of the IPv4
        identification, of the IPv6 flow label, or what `Set Version Field` says. So a frame is counted in the
        interval in which it was sent, whenever it arrives, and a device that loses nothing has lost 0 in
        every one, however long its queues are. An interval is longer than asked for where frames of the one
        before are still on their way.

        Where the device writes over that bit, or frames have none, there is one interval: from the start of
        the traffic to `Stop Traffic`.

        | `Start Traffic` | north |
        | `Start Monitoring` | interval=1 s |
        | Sleep | 10 s |
        | `Stop Traffic` |
        | `Verify Interval Loss Below` | 0 |
        """
        self._session.tester.traffic.start_monitoring(interval)

    @keyword(tags=["monitoring"])
    def stop_monitoring(self) -> MonitoringResult:
        """Ends the last interval and returns all of them; `Stop Traffic` does so too.

        Returns a result: ``intervals``, ``lost``, ``sent`` (frames), ``worst`` (the interval that lost the
        greatest part), ``method`` (VERSION or QUIESCING) and ``reason`` (why not VERSION).

        | ${result} = | `Stop Monitoring` |
        | Log | ${result.worst} |
        """
        result = self._session.tester.traffic.stop_monitoring()
        self._session.remember(result)
        return result

    @keyword(tags=["monitoring", "get"])
    def get_interval_series(self) -> tuple[Interval, ...]:
        """Returns the intervals that have ended in this test, also while traffic runs.

        Attributes of each: ``number``, ``sent``, ``received``, ``lost`` (frames), ``loss`` (0 to 1),
        ``received_rate`` (frames/s), ``throughput_bps`` (L2), ``delay_ns`` (mean, measured blind; None where
        nothing arrived), ``delay_bound_ns`` (the most by which lost frames make it wrong), ``start_ns``,
        ``end_ns``, ``guard_ns`` (how long its last frames were waited for), ``streams`` and ``ports``. Of a
        port: ``name``, and the interval's frames and bytes that left it and arrived there, of all streams
        with a version and wherever they were expected: ``sent``, ``sent_bytes``, ``received``,
        ``received_bytes``.

        | @{series} = | `Get Interval Series` |
        | Should Be Equal As Integers | ${series[0].lost} | 0 |
        """
        return self._session.tester.traffic.intervals()

    @keyword(tags=["monitoring", "verify"])
    def verify_interval_loss_below(self, bound: Ratio, measured: Result | None = None) -> Verdict:
        """Passes if no interval lost a greater part of its frames than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent in the interval |
        | ``measured`` | what `Stop Monitoring` returned; what this test monitored last, if it is left out |

        While traffic is monitored the intervals that have ended so far are judged, and monitoring goes on.

        | `Verify Interval Loss Below` | 0 |
        """
        result = measured or self._session.tester.traffic.monitored()
        if not isinstance(result, MonitoringResult):
            raise TesterLibraryError(f"this has no intervals; give the result of Stop Monitoring: {result}")
        return self._session.conclude(result.verdict_below(bound))
