# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that put streams on the wire and take them off."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.traffic import TrafficResult
from ...running.suite import Suite
from .._component import component


@component
class Traffic:
    """Traffic that runs until it is stopped."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["traffic"])
    def start_traffic(self, *streams: str) -> str:
        """Starts streams together, at their own rates, until `Stop Traffic`. Returns a handle.

        Traffic that a test has started ends with the test, with a warning if it was still running. Traffic
        that a suite setup has started goes on to the end of the suite.

        | ${load} = | `Start Traffic` | north | south |
        """
        return self._suite.traffic.start(self._suite.chosen(streams))

    @keyword(tags=["traffic"])
    def stop_traffic(self, *streams: str) -> Trial | TrafficResult | None:
        """Stops traffic, waits until all frames have arrived or are lost, and returns the trial.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams, or what `Start Traffic` returned; all traffic by default |

        Streams that were started together have to be stopped together.

        `Verify …` and `Get …` judge this measurement. If several groups of streams are stopped, the keyword
        returns a result with a trial for each group, and all of them are judged: ``trials``, ``sent``,
        ``received`` and ``lost``. If nothing was running, it returns None and measures nothing.

        | `Stop Traffic` | ${load} |
        | `Verify Loss Below` | 0.001 % |
        """
        trials = self._suite.traffic.stop(streams)
        if not trials:
            return None
        measured = trials[0] if len(trials) == 1 else TrafficResult.of(trials)
        self._suite.remember(measured)
        return measured
