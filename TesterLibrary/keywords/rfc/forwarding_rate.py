# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for forwarding rates of an overloaded device (RFC 2889 §5.6)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingResult,
    ForwardingSweep,
    find_forwarding_rate,
)
from ...methodology.prerequisite import load_of
from ...methodology.result import Result
from ...methodology.standard import Standard
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component


@component
class ForwardingRates:
    """Keywords about the rate that a device forwards under more load than it forwards without loss."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "sweep"])
    def sweep_forwarding_rate(
        self,
        *streams: str,
        throughput: ThroughputResult | None = None,
        highest: Ratio = Ratio.parse("100 %"),
        step: Ratio = Ratio.parse("5 %"),
        duration: Duration | None = None,
    ) -> ForwardingResult:
        """Measures the forwarding rate at the maximum offered load, and at each load below (RFC 2889 §5.6).

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``throughput`` | the result of `Find Throughput` for the same streams; searched first, if left out |
        | ``highest`` | the maximum offered load, in ``%`` of the line rate of a port |
        | ``step`` | how far it is from one load to the next, in ``%`` of line rate, from the throughput up |
        | ``duration`` | how long each trial sends; as the profile says for frame loss, if left out |

        The forwarding rate is what arrives each second on the right ports, each frame once, whatever is lost.
        What a queue holds when sending ends is divided by the time in which it arrives.

        Returns a result: ``rate_at_maximum_load`` and ``maximum_rate`` (frames/s, over all streams; None
        where the tester fell short) and ``trials``.

        | `Create Streams Over Ports` | mesh | p1 | p2 | p3 | p4 |
        | ${result} = | `Sweep Forwarding Rate` | mesh |
        | `Verify Maximum Forwarding Rate Above` | 50 kpps | ${result} |
        """
        suite = self._suite
        suite.refuse_without("forwarding rate", streams, by_signature=True, needs=[])
        found = suite.prerequisite(streams, throughput, standard=Standard.RFC2889)
        sweep = ForwardingSweep(
            lowest=Ratio(min(load_of(found, "the forwarding rate"), highest.value)),
            highest=highest,
            step=step,
            duration=duration or suite.profile.frame_loss,
        )
        measurer = suite.measurer("forwarding rate", streams)
        return suite.found(find_forwarding_rate(measurer, sweep, on_estimate=suite.progress.estimate))

    @keyword(tags=["rfc2889", "verify"])
    def verify_maximum_forwarding_rate_above(
        self, bound: Rate, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the forwarding rate was at least the bound at one load or another (RFC 2285 §3.6.3).

        | =Argument= | =Meaning= |
        | ``bound`` | the lowest rate of all streams together, such as ``50 kpps``; in ``%``, of the load |
        | ``measured`` | a result of `Sweep Forwarding Rate`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Maximum Forwarding Rate Above` | 50 kpps |
        """
        return self._judge(ForwardingFigure.MAXIMUM, bound, measured, within)

    @keyword(tags=["rfc2889", "verify"])
    def verify_forwarding_rate_at_maximum_load_above(
        self, bound: Rate, measured: Trial | Result | None = None, within: Ratio | None = None
    ) -> Verdict:
        """Passes if the forwarding rate at the maximum offered load was at least the bound (RFC 2285 §3.6.2).

        | =Argument= | =Meaning= |
        | ``bound`` | the lowest rate of all streams together, such as ``50 kpps``; in ``%``, of the load |
        | ``measured`` | a result of `Sweep Forwarding Rate`; the last one of the test, if it is left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        | `Verify Forwarding Rate At Maximum Load Above` | 45 kpps |
        """
        return self._judge(ForwardingFigure.AT_MAXIMUM_LOAD, bound, measured, within)

    def _judge(
        self, figure: ForwardingFigure, bound: Rate, measured: Trial | Result | None, within: Ratio | None
    ) -> Verdict:
        judged = self._suite.judged_as(
            ForwardingResult, measured, about="forwarding rates", source="Sweep Forwarding Rate"
        )
        return self._suite.conclude(at_least(lambda b: judged.verdict_above(figure, b), bound, within))
