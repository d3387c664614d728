# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword that marks what happens around the traffic."""

from __future__ import annotations

from robot.api.deco import keyword

from ...reporting.record.marks import record_mark
from ...running.suite import Suite
from .._component import component


@component
class Marks:
    """Events around the traffic, named by the suite."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["monitoring"])
    def mark_event(self, name: str) -> None:
        """Records that something happens now: a reload of the device, a cable that is pulled, a new route.

        | =Argument= | =Meaning= |
        | ``name`` | the name, in one line of at most 60 characters; reports show it unchanged |

        The evidence has the event with the time of day and with the time on the tester's clock, as the
        intervals of `Start Monitoring` have it. Charts over time show it as a line with its name if the same
        test or suite monitored. The certificate lists every event, and ``events.csv`` beside it has all of
        them as a table.

        A tester has to be open, because the event needs the tester's clock. A dry run records nothing.

        | `Start Monitoring` | interval=100 ms |
        | `Mark Event` | reload |
        | Run Process | ssh | device | reload |
        """
        tester = self._suite.tester
        record_mark(self._suite.recorder, name, tester.target.snapshot().taken_at_ns)
