# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for devices that shape."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...measurement.trial import Trial
from ...methodology.monitoring import MonitoringResult
from ...methodology.token_bucket import TokenBucket, loss_as_predicted
from ...model.units.quantity import Octets
from ...model.units.units import Bandwidth, Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_ONE_PERCENT = Ratio.parse("1 %")


@component
class TokenBuckets:
    """The frames that a shaper drops, against those that it should drop."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_token_bucket_loss(
        self,
        trial: Trial,
        rate: Bandwidth,
        burst: Octets,
        queue: Octets,
        within: Ratio = _ONE_PERCENT,
        measured: MonitoringResult | None = None,
    ) -> Verdict:
        """Passes if as many frames were lost as a token bucket drops by arithmetic, no more and no less.

        | =Argument= | =Meaning= |
        | ``trial`` | what `Stop Traffic` returned, of one stream, monitored and not changed meanwhile |
        | ``rate`` | the rate that fills the bucket: bits of frames without FCS each second, as Linux counts |
        | ``burst`` | bytes that the bucket holds; it is full before the first frame |
        | ``queue`` | bytes that wait at most; a frame that does not fit is dropped |
        | ``within`` | part of the predicted loss by which the measured one may be off |
        | ``measured`` | what `Stop Monitoring` returned; what was monitored last, if it is left out |

        Predicted is from when each frame is due, and where the tester's rate was off, for all gaps that much
        longer or shorter, and for frames of bursts as late as the latest one: INCONCLUSIVE, if that makes a
        difference of more than ``within``, and for late frames of several sizes, of which nobody knows which
        fit. Patterns, messages and time patterns will do; random laws and captures are refused, and so is a
        stream that was changed since. Frames sent before
        `Start Monitoring` fill the bucket's queue, and do not count; monitoring has to go on to the last
        frame, as `Stop Traffic` sees to. A FAIL says which queue would have lost as much.

        | `Set Burst Pattern` | sync | packets=3000 | peak=2.5x |
        | `Start Traffic` | sync |
        | `Start Monitoring` |
        | Sleep | 5 s |
        | ${trial} = | `Stop Traffic` |
        | `Verify Token Bucket Loss` | ${trial} | rate=20 Mbps | burst=60 kB | queue=60 kB |
        """
        monitored = measured or self._suite.traffic.stop_monitoring()
        names = [stream.name for stream in trial.streams]
        if len(names) != 1 or monitored.title != names[0]:
            raise TesterLibraryError(
                f"the trial is of {' + '.join(names)}, monitored was {monitored.title}; "
                "both have to be of the same one stream"
            )
        (sent,) = trial.streams
        (planned,) = self._suite.tester.check([self._suite.stream(names[0])]).streams
        bucket = TokenBucket(rate, burst, queue)
        return self._suite.conclude(loss_as_predicted(monitored, planned, sent, bucket, within))
