# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for frames that are lost: at one load, or load by load."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.frame_loss import FrameLossResult, FrameLossSweep, sweep_frame_loss
from ...methodology.result import Result
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter
from .._verifies import verifies


@component
class Loss:
    """Frames that were sent and did not arrive."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._get = Getter(suite)

    @keyword(tags=["measure"])
    def measure_loss(
        self, *streams: str, rate: Rate | None = None, duration: Duration | None = None
    ) -> Trial:
        """Sends streams for a time at one load, and returns the trial: what was lost, and what arrived.

        | ``duration`` | how long the streams send, such as ``2 s``; the profile decides by default |

        A trial in which the tester itself fell short is repeated, at most three times in all; the last one is
        returned. Attributes of a trial: ``sent``, ``received``, ``lost`` (frames), ``loss_ratio`` (0 to 1);
        ``offered_rate``, ``received_rate`` (frames/s) and ``throughput_bps`` (L2), which are None if no
        stream has sent two frames; ``latency`` (``min``, ``mean``, ``max``, ``p50``, ``p99`` in ns);
        ``evidence``, ``valid``, ``objections``.

        | `Measure Loss` | north | rate=64 kpps | duration=10 s |
        | `Verify Loss Below` | 0.001 % |
        """
        measurer = self._suite.measurer("loss", streams, rate)
        return measurer.measure(measurer.load, duration or self._suite.profile.trial)

    @keyword(tags=["rfc2544", "sweep"])
    def sweep_frame_loss(
        self,
        *streams: str,
        step: Ratio = Ratio.parse("10 %"),
        duration: Duration | None = None,
        at: Ratio | None = None,
    ) -> FrameLossResult:
        """Measures the loss from line rate down, until two trials in a row lose nothing (RFC 2544 §26.3).

        | ``step`` | the part of line rate from one trial to the next; the RFC allows at most 10 % |
        | ``duration`` | how long each trial sends; the profile decides by default |
        | ``at`` | an additional load for a verdict, in ``%`` of line rate; none by default |

        | ${result} = | `Sweep Frame Loss` | north | step=10 % | at=20 % |
        | `Verify Loss Below` | 0 | ${result} | at=20 % |
        """
        sweep = FrameLossSweep(
            step=step,
            trial_duration=duration or self._suite.profile.frame_loss,
            at=at,
            standard=self._suite.standard(streams),
        )
        measurer = self._suite.measurer("frame loss", streams)
        return self._suite.found(sweep_frame_loss(measurer, sweep, on_estimate=self._suite.progress.estimate))

    @keyword(tags=["get"])
    def get_frame_loss(
        self,
        name: str | None = None,
        assertion_operator: Any = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> int | None:
        """Returns the frames that the last trial lost, and asserts if an operator is given.

        | ``name`` | the name of one stream of the trial; all streams by default |
        | ``assertion_expected`` | a number of frames |

        | `Get Frame Loss` | <= | 0 |
        """
        return self._get.loss(name, assertion_operator, assertion_expected, message)

    @keyword(tags=["get"])
    def get_loss_ratio(
        self,
        name: str | None = None,
        assertion_operator: Any = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> float | None:
        """Returns the frame loss rate of the last trial, 0 to 1, and asserts if an operator is given.

        | ``name`` | the name of one stream of the trial; all streams by default |
        | ``assertion_expected`` | ``0``, ``0.001 %`` or ``10 ppm`` |

        | `Get Loss Ratio` | north | <= | 0.001 % |
        """
        return self._get.loss_ratio(name, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    @verifies(Result, at_most, before="timeout")
    def verify_loss_below(
        self, result: Result, bound: Ratio, at: Ratio | None = None, timeout: Duration | None = None
    ) -> Verdict:
        """Passes if no trial, or direction of stamped traffic, lost a greater part than the bound.

        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent |
        | ``at`` | the highest load of a sweep that is judged, in ``%`` of line rate; all loads by default |
        | ``timeout`` | counts a frame that arrived later than this as lost, such as ``5 ms`` |

        If a sweep has not tried ``at`` itself, it passes only if the next lower and the next higher load are
        within the bound. Otherwise it is INCONCLUSIVE and names both loads: give ``at`` to `Sweep Frame Loss`
        as well.

        | `Verify Loss Below` | 0.001 % |
        | `Verify Loss Below` | 0 | timeout=5 ms |
        """
        return result.loss_below(bound, at=at, timeout=timeout)
