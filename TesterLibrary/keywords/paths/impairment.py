# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for what a path does to all of its packets."""

from __future__ import annotations

from robot.api.deco import keyword

from ...files.gaps import delays_of
from ...model.heading import Heading, OrderPolicy
from ...model.impairment import ALL_LOST, NO_JITTER, NO_LOSS, NOT_CORRELATED, Distribution, Impairment
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from .._component import component


@component
class Impairments:
    """Delay, loss and rate of the directions of a path."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "impairment"])
    def impair_path(
        self,
        path: str,
        delay: Duration | None = None,
        jitter: Duration = NO_JITTER,
        distribution: Distribution = Distribution.UNIFORM,
        order: OrderPolicy = OrderPolicy.PRESERVE,
        *,
        cdf: Names = NO_NAMES,
        cdf_file: str | None = None,
        correlation: Ratio = NOT_CORRELATED,
        loss: Ratio | None = None,
        to_bad: Ratio | None = None,
        to_good: Ratio | None = None,
        loss_in_bad: Ratio = ALL_LOST,
        loss_in_good: Ratio = NO_LOSS,
        rate: Rate | None = None,
        queue_frames: int | None = None,
        queue_bytes: int | None = None,
        direction: Heading = Heading.BOTH,
    ) -> str:
        """Impairs all packets of a path, behind its events. Returns a description of the impairment.

        | ``path`` | the name of the path |
        | ``delay`` | how long each packet is held; with a jitter the mean |
        | ``jitter`` | ``uniform``: the greatest distance from the mean; ``normal``: the standard deviation |
        | ``distribution`` | ``uniform`` or ``normal``; no delay is below 0 |
        | ``order`` | ``preserve``: no packet overtakes another one; ``allow``: jitter may reorder packets |
        | ``cdf`` | in place of ``delay``: its distribution function, ``1 ms:0 %,3 ms:99 %,20 ms:100 %`` |
        | ``cdf_file`` | the same from a file: a delay and a probability on each line, as ``3 ms, 0.99`` |
        | ``correlation`` | the correlation of a delay with that of the packet before: ``50 %`` |
        | ``loss`` | the part of packets that is lost, each independently of others |
        | ``to_bad`` | in place of ``loss`` (Gilbert-Elliott): the probability of a change to the bad state |
        | ``to_good`` | Gilbert-Elliott: the probability to change back to the good state |
        | ``loss_in_bad`` | the part of packets that is lost in the bad state |
        | ``loss_in_good`` | the part of packets that is lost in the good state |
        | ``rate`` | the rate of a shaper: ``10 Mbps``, FCS included, or ``10 Mbps L1`` |
        | ``queue_frames`` | the length of the shaper's queue in frames; further frames are dropped |
        | ``queue_bytes`` | in place of ``queue_frames``: the length of the queue in bytes |
        | ``direction`` | ``forward``, ``backward`` or ``both``; each direction has a shaper of its own |

        Each packet passes loss, then the queue, then the delay. With the same ``seed`` of the library losses
        and delays are the same. `Get Path Statistics` has ``loss_drops`` and ``tail_drops``. A direction has
        one impairment.

        A CDF is linear between its points; probabilities below its first point have the delay of that point.
        A correlation does not change the distribution of the delays: it is that of normal variables with the
        same ranks (netem's correlation changes the distribution).

        Verdicts are INCONCLUSIVE while no packet has reached the impairment, and while it should lose packets
        and has lost none.

        | `Impair Path` | wan | delay=10 ms | jitter=1 ms | distribution=normal |
        | `Impair Path` | wan | cdf_file=${CURDIR}/delays.csv | correlation=80 % | order=allow |
        | `Impair Path` | wan | loss=0.1 % | direction=forward |
        | `Impair Path` | wan | to_bad=0.1 % | to_good=25 % |
        | `Impair Path` | wan | rate=10 Mbps | queue_frames=50 | direction=backward |
        """
        impairment = Impairment.of(
            delay=delay,
            jitter=jitter,
            distribution=distribution,
            order=order,
            cdf=delays_of(cdf, cdf_file),
            correlation=correlation,
            loss=loss,
            to_bad=to_bad,
            to_good=to_good,
            loss_in_bad=loss_in_bad,
            loss_in_good=loss_in_good,
            rate=rate,
            queue_frames=queue_frames,
            queue_bytes=queue_bytes,
            heading=direction,
        )
        self._suite.paths.impair(path, impairment)
        return str(impairment)
