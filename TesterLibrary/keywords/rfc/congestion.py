# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for congestion control (RFC 2889 §5.5)."""

from __future__ import annotations

from fractions import Fraction

from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.congestion import CongestionResult, CongestionTest, measure_congestion
from ...methodology.result import Result
from ...model.stream import Stream
from ...model.units.names import Names
from ...model.units.units import Duration, FrameSize, Rate, RateUnit, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_BOTH_SENDERS = Names(("p1", "p2"))


@component
class Congestion:
    """Whether a congested port harms frames to another one."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "measure"])
    def measure_congestion(
        self,
        senders: Names = _BOTH_SENDERS,
        uncongested: str = "p3",
        congested: str = "p4",
        frame_size: FrameSize = FrameSize(64),
        load: Ratio = Ratio.parse("100 %"),
        duration: Duration | None = None,
    ) -> CongestionResult:
        """Overloads one port, and counts what is lost on the way to another one (RFC 2889 §5.5).

        | =Argument= | =Meaning= |
        | ``senders`` | the two ports that send: a list, or names with a comma between, such as ``p1,p2`` |
        | ``uncongested`` | the port that gets every second frame of the first sender, and no others |
        | ``congested`` | the port that gets the rest: 150 % of line rate, if ``load`` is 100 % |
        | ``frame_size`` | bytes, FCS included |
        | ``load`` | the load of each sender, in ``%`` of line rate |
        | ``duration`` | how long each of both trials sends; as the profile says for frame loss, if left out |

        First the first sender sends alone. Its streams are called ``uncongested`` and ``half congested``,
        that of the second sender ``congested``; they exist until the test ends.

        Returns a result: ``head_of_line_blocking`` (whether frames to the uncongested port were lost; None
        where that is not known), ``uncongested_lost`` and ``congested_lost`` (frames), ``back_pressure``
        (False where frames to the congested port were lost; else None, for the tester does not see whether
        its ports are held back) and ``trials``.

        | ${result} = | `Measure Congestion` | uncongested=p3 | congested=p4 | frame_size=512 |
        | `Verify No Head Of Line Blocking` | ${result} |
        """
        suite = self._suite
        if len(senders) != 2:
            given = ", ".join(senders) or "none"
            raise PlanError(f"senders: give two ports, such as p1,p2; given was {given}")
        if len({*senders, uncongested, congested}) != 4:
            given = ", ".join((*senders, uncongested, congested))
            raise PlanError(f"congestion control is measured over four different ports; given were {given}")
        half, whole = Rate(load.value / 2, RateUnit.LINE), Rate(load.value, RateUnit.LINE)
        first, second = senders
        test = CongestionTest(
            "uncongested", ("half congested", "congested"), load, duration or suite.profile.frame_loss
        )
        test.validate()
        in_turn = Fraction(1, 2)  # frames of one sender leave in turn
        suite.put(
            Stream("uncongested", tx=first, rx=uncongested, frame_size=frame_size, rate=half),
            Stream("half congested", tx=first, rx=congested, frame_size=frame_size, rate=half, phase=in_turn),
            Stream("congested", tx=second, rx=congested, frame_size=frame_size, rate=whole),
        )
        alone = suite.measurer("congestion", ["uncongested", "half congested"], by_signature=True)
        together = suite.measurer(
            "congestion", ["uncongested", "half congested", "congested"], by_signature=True
        )
        return suite.found(measure_congestion(alone, together, test))

    @keyword(tags=["rfc2889", "verify"])
    def verify_no_head_of_line_blocking(self, measured: Trial | Result | None = None) -> Verdict:
        """Passes if a congested port cost no frame to the uncongested one.

        | =Argument= | =Meaning= |
        | ``measured`` | a result of `Measure Congestion`; the last one of the test, if it is left out |

        A device whose port was not congested, or that lost such frames without congestion, is INCONCLUSIVE.

        | `Verify No Head Of Line Blocking` |
        """
        judged = self._suite.judged_as(
            CongestionResult, measured, about="congestion", source="Measure Congestion"
        )
        return self._suite.conclude(judged.verdict_no_blocking())
