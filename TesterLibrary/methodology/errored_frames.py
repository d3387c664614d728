# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Errored frames filtering (RFC 2889 §5.9): whether a device forwards frames that it must drop.

Of the kinds of the RFC only frames that are too long are sent. The others take a port that sends a frame
with a bad FCS, a piece of a byte or less than 64 bytes, which no port of a tester of this library does:
whether a device filters these is not measured, and never assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ..errors import PlanError, require
from ..measurement.foreign import ForeignAt
from ..measurement.trial import Trial
from ..model.units.units import Duration, FrameSize, Ratio
from ..verdict import AT_MOST, Verdict, assess
from .measurer import Measurer
from .result import Result, shorter
from .verdicts.judging import doubt_of, unmeasured
from .verdicts.unsigned import unsigned

_RFC_TRIAL = Duration(30 * 10**9)  # RFC 2889 §5.9.2, which refers to §5.1.2
_DOWN = Fraction(1, 100)  # of the legal frames, beyond what is lost otherwise: the device was not forwarding


class FrameError(Enum):
    """The kinds of errored frames of RFC 2889 §5.9.3."""

    OVERSIZE = "oversize"  # longer than the device's maximum
    UNDERSIZE = "undersize"  # shorter than 64 bytes
    CRC = "crc"  # with a bad FCS
    DRIBBLE = "dribble"  # with more bits than whole bytes, and a good FCS
    ALIGNMENT = "alignment"  # with more bits than whole bytes, and a bad FCS


_NOT_SENT = {
    FrameError.UNDERSIZE: "frames of less than 64 bytes, which every port pads",
    FrameError.CRC: "frames with a bad FCS, which the port itself computes",
    FrameError.DRIBBLE: "frames that end within a byte",
    FrameError.ALIGNMENT: "frames that end within a byte",
}


def check_sent(kinds: tuple[FrameError, ...]) -> None:
    """PlanError that names the first kind of errored frames that no tester sends."""
    if not kinds:
        raise PlanError("no kind of errored frames is given; give oversize")
    for kind in kinds:
        if kind in _NOT_SENT:
            raise PlanError(
                f"{kind.value}: no port of this tester sends {_NOT_SENT[kind]}; whether the device filters "
                "them cannot be measured. Measured can be oversize"
            )


def oversize_of(longest: FrameSize, oversize: FrameSize | None) -> FrameSize:
    """The size of frames that are too long: by default one byte more than the longest legal size.

    Raises:
        PlanError: the size is legal.
    """
    size = oversize or FrameSize(longest.bytes + 1)
    if size.bytes <= longest.bytes:
        raise PlanError(f"oversize={size} is no longer than the longest legal frame, {longest}")
    return size


@dataclass(frozen=True)
class ErroredTest:
    """The load of the test."""

    load: Ratio = Ratio(Fraction(1))  # of line rate
    duration: Duration = _RFC_TRIAL

    @classmethod
    def of(cls, kinds: tuple[FrameError, ...], load: Ratio, duration: Duration) -> ErroredTest:
        """The test of these kinds. PlanError: a kind is not sent; load or duration make no sense."""
        check_sent(kinds)
        test = cls(load, duration)
        test.validate()
        return test

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (0 < self.load.value <= 1, "the load must be above 0 and at most 100 %", "load"),
            (self.duration.ns > 0, "the duration must be above 0", "duration"),
        )


@dataclass(frozen=True)
class ErroredResult(Result):
    """Three trials: of the longest legal frames, of oversize frames, and of legal ones again."""

    load: ErroredTest

    @property
    def shortened(self) -> tuple[str, ...]:
        """See Result."""
        return shorter("trials", self.load.duration, _RFC_TRIAL, "RFC 2889 §5.9.2")

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trial of oversize frames."""
        return self.trials[1:2]

    @property
    def forwarded(self) -> int:
        """Oversize frames that arrived at any port, in whatever shape."""
        order = self.trials[1].order
        return order.received + sum(count or 0 for count in order.changed_or_elsewhere)

    @property
    def _unsigned(self) -> str:
        """Frames without a signature, which may be oversize ones that were cut; empty if none arrived."""
        trial, found = self.trials[1], self.trials[1].foreign
        here = ForeignAt("the ports of the trial", found.others + found.damaged, found.damaged)
        return unsigned(trial, (here, *trial.elsewhere))

    @property
    def _down(self) -> str:
        """That the device may have forwarded nothing at all after oversize frames; empty if it did."""
        before, after = self.trials[0], self.trials[2]
        missing = after.sent - after.received
        if missing <= before.sent - before.received + _DOWN * after.sent:
            return ""
        return (
            f"{missing:,} of {after.sent:,} legal frames were lost after the oversize ones, and "
            f"{before.sent - before.received:,} of {before.sent:,} before: the device may have stopped "
            "forwarding altogether"
        )

    def verdict_filtered(self) -> Verdict:
        """Whether no oversize frame was forwarded.

        INCONCLUSIVE where the device did not forward the longest legal frames either, before or after: it may
        be dead; and where frames without a signature arrived that it may have made of oversize ones.
        """
        doubt = doubt_of(self.trials) or unmeasured(self.trials)
        if not doubt and not self.trials[0].received:
            doubt = "the device forwarded no frame of legal length either"
        sent = self.trials[1].sent
        if not doubt and not sent:
            doubt = "no oversize frame was sent"
        if not doubt and not self.forwarded and None in self.trials[1].order.changed_or_elsewhere:
            doubt = "this tester does not count frames that arrive damaged, in pieces or at another port"
        if not doubt and not self.forwarded:
            doubt = self._unsigned or self._down
        return assess(
            self.forwarded,
            AT_MOST,
            0,
            subject=f"oversize frames forwarded of {self.title}",
            measured=f"{self.forwarded:,} of {sent:,}",
            bound="none",
            doubt=doubt,
        )

    def __str__(self) -> str:
        return f"{self.title}: {self.forwarded:,} of {self.trials[1].sent:,} oversize frames were forwarded"


def measure_errored_frames(legal: Measurer, oversize: Measurer, test: ErroredTest) -> ErroredResult:
    """Sends the longest legal frames, then frames that are too long, then legal ones again.

    A device that oversize frames bring down forwards none of them, either: it has to be alive afterwards.

    Raises:
        PlanError: the test makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    test.validate()
    trials = tuple(measurer.measure(test.load.value, test.duration) for measurer in (legal, oversize, legal))
    return ErroredResult(title=trials[1].title, trials=trials, load=test)
