# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The keyword for what happens to all packets of a path."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
from ...files.gaps import delays, load_delays
from ...model.heading import Heading, OrderPolicy
from ...model.impairment import (
    NOT_CORRELATED,
    DelayDistribution,
    Distribution,
    GilbertElliott,
    Impairment,
    PathDelay,
    Shaping,
)
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration, Rate, Ratio
from ...running.suite import Suite
from .._component import component

_NONE = Duration(0)
_ALL = Ratio.parse("100 %")
_NOTHING = Ratio.parse("0")


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
        jitter: Duration = _NONE,
        distribution: Distribution = Distribution.UNIFORM,
        order: OrderPolicy = OrderPolicy.PRESERVE,
        *,
        cdf: Names = NO_NAMES,
        cdf_file: str | None = None,
        correlation: Ratio = NOT_CORRELATED,
        loss: Ratio | None = None,
        to_bad: Ratio | None = None,
        to_good: Ratio | None = None,
        loss_in_bad: Ratio = _ALL,
        loss_in_good: Ratio = _NOTHING,
        rate: Rate | None = None,
        queue_frames: int | None = None,
        queue_bytes: int | None = None,
        direction: Heading = Heading.BOTH,
    ) -> str:
        """Has a path do something to all of its packets, behind its events. Returns it in words.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path |
        | ``delay`` | for how long each packet is held; with a jitter the mean |
        | ``jitter`` | ``uniform``: the greatest distance from the mean; ``normal``: the standard deviation |
        | ``distribution`` | ``uniform`` or ``normal``; no delay is below 0 |
        | ``order`` | ``preserve``: no packet overtakes another one; ``allow``: jitter may reorder them |
        | ``cdf`` | in place of ``delay``: its distribution function, ``1 ms:0 %,3 ms:99 %,20 ms:100 %`` |
        | ``cdf_file`` | the same from a file: a delay and a probability on each line, as ``3 ms, 0.99`` |
        | ``correlation`` | how much of a packet's delay is that of the one before it: ``50 %`` |
        | ``loss`` | the part of packets that is lost, each independently of others |
        | ``to_bad`` | in place of ``loss`` (Gilbert-Elliott): how probable the bad state is after a packet |
        | ``to_good`` | Gilbert-Elliott: how probable the good state is again after a packet |
        | ``loss_in_bad`` | the part of packets that is lost in the bad state |
        | ``loss_in_good`` | the same in the good state |
        | ``rate`` | a rate to which packets are shaped: ``10 Mbps``, FCS included, or ``10 Mbps L1`` |
        | ``queue_frames`` | the length of its queue in frames; what finds it full is dropped |
        | ``queue_bytes`` | in place of frames: its length in bytes |
        | ``direction`` | ``forward``, ``backward`` or ``both``: each direction then has its own of all this |

        A packet is lost, or else passes the queue, or else is delayed, in this order. The same ``seed`` of
        the library gives the same losses and delays. `Get Path Statistics` has ``loss_drops`` and
        ``tail_drops``. A direction has one impairment.

        A CDF is a line from point to point; what is below its first point has that delay. A correlation
        leaves the distribution of delays as it is: it is that of normal variables with the same ranks
        (netem's changes the distribution).

        Verdicts are INCONCLUSIVE while no packet has come to it, and while it is to lose packets and has
        lost none.

        | `Impair Path` | wan | delay=10 ms | jitter=1 ms | distribution=normal |
        | `Impair Path` | wan | cdf_file=${CURDIR}/delays.csv | correlation=80 % | order=allow |
        | `Impair Path` | wan | loss=0.1 % | direction=forward |
        | `Impair Path` | wan | to_bad=0.1 % | to_good=25 % |
        | `Impair Path` | wan | rate=10 Mbps | queue_frames=50 | direction=backward |
        """
        bursts = None
        if to_bad is not None or to_good is not None:
            if to_bad is None or to_good is None:
                raise PlanError("to_bad and to_good belong together; give both")
            bursts = GilbertElliott(
                to_bad=to_bad, to_good=to_good, loss_in_bad=loss_in_bad, loss_in_good=loss_in_good
            )
            if loss is not None:
                raise PlanError("loss and to_bad were given; give one of the two models of loss")
        elif (loss_in_bad, loss_in_good) != (_ALL, _NOTHING):
            raise PlanError("loss_in_bad and loss_in_good are of states; give to_bad and to_good as well")
        if rate is None and (queue_frames is not None or queue_bytes is not None):
            raise PlanError("a queue needs a rate; give rate, such as 10 Mbps")
        law = self._law(cdf, cdf_file)
        if delay is None and jitter.ns and law is None:
            raise PlanError(f"jitter={jitter} needs a delay; give its mean")
        if delay is None and law is None and correlation.value:
            raise PlanError(f"correlation={correlation} needs delays; give delay and jitter, or a CDF")
        impairment = Impairment(
            heading=direction,
            loss=loss if bursts is None else bursts,
            shaping=None
            if rate is None
            else Shaping(rate=rate, queue_frames=queue_frames, queue_bytes=queue_bytes),
            delay=None
            if delay is None and law is None
            else PathDelay(
                mean=_NONE if delay is None else delay,
                jitter=jitter,
                distribution=distribution,
                order=order,
                cdf=law,
                correlation=correlation,
            ),
        )
        self._suite.paths.impair(path, impairment)
        return str(impairment)

    @staticmethod
    def _law(points: Names, file: str | None) -> DelayDistribution | None:
        if points and file:
            raise PlanError("cdf and cdf_file were given; give one of them")
        if file:
            return load_delays(file)
        return delays(points) if points else None
