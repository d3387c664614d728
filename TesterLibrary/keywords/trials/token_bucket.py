# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for devices that shape."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...methodology.monitoring import MonitoringResult
from ...methodology.token_bucket import TokenBucket, loss_as_predicted, sent_of
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
        """Passes if the device lost as many frames as a token bucket drops, no more and no less.

        | ``trial`` | what `Stop Traffic` returned, of one stream, monitored and not changed meanwhile |
        | ``rate`` | the rate that fills the bucket: bits of frames without FCS each second, as Linux counts |
        | ``burst`` | bytes that the bucket holds; it is full before the first frame |
        | ``queue`` | the most bytes that wait; a frame that does not fit is dropped |
        | ``within`` | the part of the predicted loss by which the measured loss may differ |
        | ``measured`` | what `Stop Monitoring` returned; by default what was monitored last |

        The prediction uses the time at which each frame is due. If the tester's rate was off, it also uses
        gaps that are longer or shorter by that much, and bursts whose frames are as late as the latest frame.
        INCONCLUSIVE if this changes the prediction by more than ``within``, and if frames of several sizes
        were late: then it is not known which of them fit. Patterns, messages and time patterns can be
        predicted. The keyword refuses random laws, captures, and a stream that was changed since. Frames sent
        before `Start Monitoring` fill the queue of the bucket, but do not count. Monitoring has to last until
        the last frame; `Stop Traffic` ensures that. A FAIL says which queue would have lost as much.

        | `Set Burst Pattern` | sync | packets=3000 | peak=2.5x |
        | `Start Traffic` | sync |
        | `Start Monitoring` |
        | Sleep | 5 s |
        | ${trial} = | `Stop Traffic` |
        | `Verify Token Bucket Loss` | ${trial} | rate=20 Mbps | burst=60 kB | queue=60 kB |
        """
        monitored = measured or self._suite.traffic.stop_monitoring()
        sent = sent_of(trial, monitored)
        (planned,) = self._suite.tester.check([self._suite.stream(sent.name)]).streams
        bucket = TokenBucket(rate, burst, queue)
        return self._suite.conclude(loss_as_predicted(monitored, planned, sent, bucket, within))
