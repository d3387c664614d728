# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for forwarding rates of an overloaded device (RFC 2889 §5.6)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...methodology.forwarding_rate import (
    ForwardingFigure,
    ForwardingResult,
    ForwardingSweep,
    find_forwarding_rate,
)
from ...methodology.prerequisite import load_of
from ...methodology.standard import Standard
from ...methodology.throughput import ThroughputResult
from ...methodology.verdicts.tolerance import at_least
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._verifies import verifies


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

        | ``throughput`` | a result of `Find Throughput` for these streams; by default it is searched first |
        | ``highest`` | the maximum offered load, in ``%`` of the line rate of a port |
        | ``step`` | the step from one load to the next, in ``%`` of line rate, from the throughput up |
        | ``duration`` | how long each trial sends; the profile decides by default, as for frame loss |

        The forwarding rate is the rate of frames that arrive on the right ports, each frame once, regardless
        of loss. Frames that a queue still holds when sending ends count over the time in which they arrive.

        Returns a result: ``rate_at_maximum_load`` and ``maximum_rate`` (frames/s, over all streams; None if
        the tester fell short) and ``trials``.

        | `Create Streams Over Ports` | mesh | p1 | p2 | p3 | p4 |
        | ${result} = | `Sweep Forwarding Rate` | mesh |
        | `Verify Maximum Forwarding Rate Above` | 50 kpps | ${result} |
        """
        suite = self._suite
        suite.refuse_without("forwarding rate", streams, by_signature=True, needs=[])
        throughput = suite.prerequisite(streams, throughput, standard=Standard.RFC2889)
        sweep = ForwardingSweep(
            lowest=Ratio(min(load_of(throughput, "the forwarding rate"), highest.value)),
            highest=highest,
            step=step,
            duration=duration or suite.profile.frame_loss,
        )
        measurer = suite.measurer("forwarding rate", streams)
        return suite.found(find_forwarding_rate(measurer, sweep, on_estimate=suite.progress.estimate))

    @keyword(tags=["rfc2889", "verify"])
    @verifies(ForwardingResult, at_least, source="Sweep Forwarding Rate")
    def verify_maximum_forwarding_rate_above(self, result: ForwardingResult, bound: Rate) -> Verdict:
        """Passes if the forwarding rate was at least the bound at one load or another (RFC 2285 §3.6.3).

        | ``bound`` | the lowest rate of all streams together, such as ``50 kpps``; in ``%``, of the load |

        | `Verify Maximum Forwarding Rate Above` | 50 kpps |
        """
        return result.verdict_above(ForwardingFigure.MAXIMUM, bound)

    @keyword(tags=["rfc2889", "verify"])
    @verifies(ForwardingResult, at_least, source="Sweep Forwarding Rate")
    def verify_forwarding_rate_at_maximum_load_above(self, result: ForwardingResult, bound: Rate) -> Verdict:
        """Passes if the forwarding rate at the maximum offered load was at least the bound (RFC 2285 §3.6.2).

        | ``bound`` | the lowest rate of all streams together, such as ``50 kpps``; in ``%``, of the load |

        | `Verify Forwarding Rate At Maximum Load Above` | 45 kpps |
        """
        return result.verdict_above(ForwardingFigure.AT_MAXIMUM_LOAD, bound)
