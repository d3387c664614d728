# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for frames that are lost: at one load, or load by load."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from ...errors import PlanError
from ...measurement.trial import Trial
from ...methodology.frame_loss import FrameLossResult, FrameLossSweep, sweep_frame_loss
from ...methodology.result import Result, trials_of
from ...methodology.stamps import StampResult
from ...methodology.verdicts.judging import loss_below
from ...methodology.verdicts.tolerance import at_most
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component
from .._getter import Getter


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
        """Sends streams for a time at a given load, and returns the trial: what was lost, and what arrived.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``rate`` | the rate of each of the streams, in place of its own |
        | ``duration`` | how long it sends, such as ``2 s``; as the profile says, if left out |

        A trial in which the tester itself fell short is repeated, at most three times in all; the last one is
        returned. Attributes of a trial: ``sent``, ``received``, ``lost`` (frames), ``loss_ratio`` (0 to 1),
        ``offered_rate``, ``received_rate`` (frames/s), ``throughput_bps`` (L2), which are None where no
        stream has sent two frames, ``latency`` (``min``, ``mean``, ``max``, ``p50``, ``p99`` in ns),
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

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams that are offered together; all, if none is given |
        | ``step`` | the part of line rate from one trial to the next; the RFC allows at most 10 % |
        | ``duration`` | how long each trial sends; as the profile says, if it is left out |
        | ``at`` | a load, in ``%`` of line rate, that is tried in any case, for a verdict; none by default |

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of one stream of the trial; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many frames |
        | ``message`` | a text in place of the usual one if the assertion fails |

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

        | =Argument= | =Meaning= |
        | ``name`` | the name of one stream of the trial; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | ``0``, ``0.001 %`` or ``10 ppm`` |
        | ``message`` | a text in place of the usual one if the assertion fails |

        | `Get Loss Ratio` | north | <= | 0.001 % |
        """
        return self._get.loss_ratio(name, assertion_operator, assertion_expected, message)

    @keyword(tags=["verify"])
    def verify_loss_below(
        self,
        bound: Ratio,
        measured: Trial | Result | None = None,
        at: Ratio | None = None,
        within: Ratio | None = None,
        timeout: Duration | None = None,
    ) -> Verdict:
        """Passes if no trial, or direction of stamped traffic, lost a greater part than the bound.

        | =Argument= | =Meaning= |
        | ``bound`` | ``0``, ``0.001 %`` or ``10 ppm`` of the frames sent |
        | ``measured`` | a trial or result; the last one of the test, if it is left out |
        | ``at`` | the highest load of a sweep, in ``%`` of line rate, that is judged; all, if left out |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |
        | ``timeout`` | a frame that arrived later than this is lost, such as ``5 ms``; none, if left out |

        A sweep that has not tried ``at`` itself passes only if the next lower and the next higher load are
        within the bound. Otherwise it is INCONCLUSIVE and names both: give ``at`` to `Sweep Frame Loss`, too.

        | `Verify Loss Below` | 0.001 % |
        | `Verify Loss Below` | 0 | timeout=5 ms |
        """
        judged = self._suite.judged(measured)
        if isinstance(judged, StampResult):
            if at is not None or timeout is not None:
                raise PlanError(f"at and timeout are of trials; Stamp Traffic has its own timeout: {judged}")
            return self._suite.conclude(at_most(judged.loss_below, bound, within))
        trials = trials_of(judged)
        return self._suite.conclude(
            at_most(lambda bound: loss_below(trials, bound, timeout, at=at), bound, within)
        )
