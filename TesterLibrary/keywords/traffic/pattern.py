# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for bursts, and for rates that change with time."""

from __future__ import annotations

from robot.api.deco import keyword

from ...model.departures import Shape, TimePattern
from ...model.pattern import Multiple, Stages, pattern
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from .._component import component


@component
class Patterns:
    """How frames are spaced around the average rate."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_burst_pattern(
        self,
        name: str,
        packets: int | None = None,
        peak: Multiple | None = None,
        passes: int | None = None,
        skips: int | None = None,
        stages: Stages | None = None,
    ) -> None:
        """Sends the frames of a stream in bursts, also while it is sending. The average rate stays exact.

        | ``name`` | the name of the stream |
        | ``packets`` | the number of frames of each burst |
        | ``peak`` | the rate within a burst as a multiple of the average: ``2.5x``; otherwise line rate |
        | ``passes`` | instead of packets and peak: ticks of the peak rate with a frame; needs ``skips`` |
        | ``skips`` | the number of ticks after these that send none |
        | ``stages`` | instead: up to eight stages, each filters the ticks of the one before: ``4/6, 100/1`` |

        ``packets=64`` alone sends bursts at line rate, and the load decides the gap between them (RFC 2544
        section 21), rounded down to whole frames. ``packets=4 peak=2.5x`` is ``passes=4 skips=6``. If the
        skips are no whole number, they are rounded,
        and the peak is a little higher or lower. A peak above the line rate is refused; a search needs a
        ``highest`` load that leaves room for it.

        | `Set Burst Pattern` | sync | packets=3000 | peak=2.5x |
        | `Set Burst Pattern` | sync | stages=4/6, 100/1 |
        """
        self._suite.shape(
            name, lambda: pattern(packets=packets, peak=peak, passes=passes, skips=skips, stages=stages)
        )

    @keyword(tags=["stream"])
    def set_time_pattern(
        self,
        name: str,
        shape: Shape,
        high: Rate,
        period: Duration,
        low: Rate | None = None,
        duty: Ratio = Ratio.parse("50 %"),
        rise: Ratio = Ratio.parse("5 %"),
        hold: Ratio = Ratio.parse("20 %"),
        fall: Ratio = Ratio.parse("50 %"),
    ) -> None:
        """Changes the rate of a stream over time, also while it is sending.

        | ``name`` | the name of the stream |
        | ``shape`` | ``ramp``, ``sine``, ``square``, ``step``, ``sawtooth`` or ``flash crowd`` |
        | ``high`` | the highest rate |
        | ``period`` | the time after which the pattern begins again, or ends |
        | ``low`` | the lowest rate, in the unit of ``high``; 0 by default |
        | ``duty`` | the part of the period of a square or step at the high rate, which comes first |
        | ``rise`` | the part of the period in which a flash crowd's rate goes up |
        | ``hold`` | the part of the period in which a flash crowd's rate stays high |
        | ``fall`` | the part of the period in which a flash crowd's rate goes down; then it is low |

        A ramp goes up once, then the stream ends; a sawtooth repeats it. A step is one period of a square,
        and the only shape that a switch sends. At any time the number of frames sent is within two of the
        integral of the rate. The stream's rate becomes the average of the pattern; `Set Rate`, or a trial at
        another load, scales the pattern to another average.

        | `Set Time Pattern` | users | sine | low=10 kpps | high=100 kpps | period=10 s |
        | `Set Time Pattern` | users | flash crowd | low=1 kpps | high=1 Mpps | period=1 min |
        """
        self._suite.shape(
            name,
            lambda: TimePattern(shape, high, period, low, duty=duty, rise=rise, hold=hold, fall=fall),
        )
