# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Congestion control (RFC 2889 §5.5): whether a congested port harms frames to another one.

Two ports send, two receive. The first sender gives half of its frames to each receiver, the second one all of
its frames to the congested receiver, which so is offered 150 %. A device that loses frames to the other,
uncongested receiver has head-of-line blocking. One that loses nothing to the congested receiver either, since
it held the senders back, has back pressure.

Before that the first sender sends alone: what is lost then is not lost because of the congestion.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import require
from ..measurement import remarks
from ..measurement.counter import total
from ..measurement.stream_result import StreamResult
from ..measurement.trial import Trial
from ..model.congestion import CongestedPorts
from ..model.units.units import Duration, Ratio
from ..verdict import AT_MOST, Between, Verdict, assess
from .measurer import Measurer
from .result import Result, shorter
from .verdicts.judging import doubt_of, unmeasured

_RFC_TRIAL = Duration(30 * 10**9)  # RFC 2889 §5.5.2, which refers to §5.1.2


@dataclass(frozen=True)
class CongestionTest:
    """The streams of the test by their names, and what is offered."""

    uncongested: str  # half of the first sender's frames, to a receiver that gets no others
    congested: tuple[str, ...]  # the other half, and all of the second sender's, to the other receiver
    load: Ratio = Ratio(Fraction(1))  # of the line rate of each sender
    duration: Duration = _RFC_TRIAL

    @classmethod
    def of(cls, ports: CongestedPorts, load: Ratio, duration: Duration) -> CongestionTest:
        """The test over these ports. PlanError for a load or a duration that makes no sense."""
        uncongested, *congested = ports.names
        test = cls(uncongested, tuple(congested), load, duration)
        test.validate()
        return test

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (0 < self.load.value <= 1, "the load must be above 0 and at most 100 %", "load"),
            (self.duration.ns > 0, "the duration must be above 0", "duration"),
            (bool(self.congested), "a stream must go to the congested port", "congested"),
        )

    def __str__(self) -> str:
        return (
            f"{self.uncongested} beside {', '.join(self.congested)}, {self.load} of line rate, trials of "
            f"{self.duration}"
        )


@dataclass(frozen=True)
class CongestionResult(Result):
    """Two trials: the first sender alone, and both senders."""

    arrangement: CongestionTest

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return shorter("trials", self.arrangement.duration, _RFC_TRIAL, "RFC 2889 §5.5.2")

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trial of both senders."""
        return self.trials[1:]

    @property
    def uncongested(self) -> StreamResult:
        """The stream to the uncongested port beside the congestion."""
        return self.trials[1].stream(self.arrangement.uncongested)

    @property
    def uncongested_lost(self) -> int | None:
        """Frames that it lost then; None where that is not known."""
        return self.uncongested.order.lost

    @property
    def congested_lost(self) -> int | None:
        """Frames to the congested port that were lost; None where that is not known."""
        return total(self.trials[1].stream(name).order.lost for name in self.arrangement.congested)

    @property
    def head_of_line_blocking(self) -> bool | None:
        """Whether frames to the uncongested port were lost because of the congestion; None: not known."""
        alone = self.trials[0].stream(self.arrangement.uncongested).order.lost
        if self._doubt or not self.congested_lost or self.uncongested_lost is None or alone != 0:
            return None
        if remarks.lost_by_pause(self.uncongested):
            return None
        return self.uncongested_lost > 0

    @property
    def back_pressure(self) -> bool | None:
        """Whether the device held the senders back, so that the congested port lost nothing; None: not known.

        A tester whose ports are held back sends fewer frames than intended, and its trial is invalid. So only
        a loss of frames, which shows that there is none, is certain.
        """
        return False if not self._doubt and self.congested_lost else None

    @property
    def _doubt(self) -> str:
        return doubt_of(self.trials) or unmeasured(self.trials)

    def verdict_no_blocking(self) -> Verdict:
        """Whether nothing was lost on the way to the uncongested port.

        INCONCLUSIVE where no port was congested, where frames were lost without congestion, too, and where a
        pause of the tester may have cost those that were lost.
        """
        bounds = self.uncongested.order.loss_bounds
        sent = self.uncongested.counters.tx_packets
        alone = self.trials[0].stream(self.arrangement.uncongested).order
        doubt = self._doubt
        if not doubt and not self.congested_lost:
            doubt = (
                "nothing was lost on the way to the congested port, so it was not congested: its line is "
                "faster than the testbed says, or the trial is too short to fill its queue"
                if self.congested_lost == 0
                else "nobody knows whether the congested port lost frames"
            )
        if not doubt and alone.lost != 0:
            doubt = f"{_lost(alone.lost)} of {self.arrangement.uncongested} were lost without congestion, too"
        doubt = doubt or remarks.lost_by_pause(self.uncongested)
        value = None if bounds is None else bounds[0] if bounds[0] == bounds[1] else Between(*bounds)
        return assess(
            value,
            AT_MOST,
            0,
            subject=f"loss by head-of-line blocking of {self.arrangement.uncongested}",
            measured=f"{_lost(self.uncongested_lost)} of {sent:,} frames, beside a congested port that lost "
            f"{_lost(self.congested_lost)}",
            bound="no frame",
            doubt=doubt,
        )

    def __str__(self) -> str:
        told = {True: "head-of-line blocking", False: "no head-of-line blocking", None: "blocking not known"}
        return (
            f"{self.title}: {told[self.head_of_line_blocking]}, lost {_lost(self.uncongested_lost)} to the "
            f"uncongested port and {_lost(self.congested_lost)} to the congested one"
        )


def measure_congestion(alone: Measurer, together: Measurer, test: CongestionTest) -> CongestionResult:
    """Measures the first sender alone, then both senders.

    Args:
        alone: Runs trials of the streams of the first sender.
        together: Runs trials of all streams.
        test: Which stream is which.

    Raises:
        PlanError: the test makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    test.validate()
    trials = tuple(measurer.measure(test.load.value, test.duration) for measurer in (alone, together))
    return CongestionResult(title=trials[1].title, trials=trials, arrangement=test)


def _lost(count: int | None) -> str:
    return "an unknown number" if count is None else f"{count:,}"
