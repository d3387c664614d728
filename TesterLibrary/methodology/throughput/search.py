# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A search for the throughput: its bounds, its precision, and which trials pass."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ...errors import PlanError, require
from ...measurement import remarks
from ...measurement.trial import Trial
from ...model.units.units import Duration, Ratio
from ..standard import Standard
from ..verdicts.judging import undelayed


@dataclass(frozen=True)
class ThroughputSearch:
    """Bounds and precision of a search."""

    loss: Ratio = Ratio(Fraction(0))  # of the frames sent, that may be lost; the RFC allows none
    resolution: Ratio = Ratio(Fraction(1, 200))  # of line rate: how far apart the final bounds are at most
    lowest: Ratio = Ratio(Fraction(1, 100))  # part of line rate; below it the search gives up
    highest: Ratio = Ratio(Fraction(1))  # of line rate
    trial_duration: Duration = Duration(60 * 10**9)  # of the trials that count (RFC 2544 §24: at least 60 s)
    scout_duration: Duration = Duration(2 * 10**9)  # of the trials before those; none if not shorter
    sustained: bool = False  # a load at which the delay keeps growing does not pass
    stability: Ratio = Ratio(Fraction(0))  # of line rate: the load of the trial before the search; 0 for none
    calibrated: bool = False  # `highest` is what the tester sustains by its calibration
    timeout: Duration | None = None  # a frame that arrives later is lost
    standard: Standard = Standard.RFC2544  # what its trials are held against

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        require(
            self,
            (self.loss.value < 1, "loss must be below 100 %", "loss"),
            (self.resolution.value > 0, "resolution must be above 0", "resolution"),
            (
                0 < self.lowest.value <= self.highest.value,
                "lowest must be above 0 and at most highest",
                "lowest highest",
            ),
            (
                self.trial_duration.ns > 0 and self.scout_duration.ns > 0,
                "durations must be above 0",
                "trial_duration scout_duration",
            ),
            (self.timeout is None or self.timeout.ns > 0, "the timeout must be above 0", "timeout"),
            (self.stability.value <= 1, "the load of the stability check must be at most 100 %", "stability"),
        )

    def refuse_finer_than_a_frame(self, line_pps: Fraction) -> None:
        """Raises PlanError if two loads differ by less than a frame of a trial, so that they are the same.

        Args:
            line_pps: Frames each second of all streams at line rate.
        """
        frames = line_pps * self.trial_duration.ns / 10**9
        if self.resolution.value * frames < 1:
            raise PlanError(
                f"a resolution of {self.resolution} is finer than one frame: a trial of "
                f"{self.trial_duration} at line rate has {floor(frames):,}; give a coarser one, or "
                "longer trials"
            )

    @property
    def steps(self) -> int:
        """Steps from the lowest load to the highest."""
        return ceil((self.highest.value - self.lowest.value) / self.resolution.value)

    @property
    def low_load(self) -> Fraction:
        """The load of the stability check, within the loads of the search; 0 for none."""
        return (
            min(max(self.stability.value, self.lowest.value), self.highest.value)
            if self.stability.value
            else Fraction(0)
        )

    def leads(self, load: Fraction, duration: Duration) -> bool:
        """Whether no verdict rests on a trial: it is a scout, and not that of the stability check."""
        return duration.ns < self.trial_duration.ns and load != self.low_load

    def load(self, index: int) -> Fraction:
        """The load of a step, 0 being the lowest."""
        return max(self.lowest.value, self.highest.value - (self.steps - index) * self.resolution.value)

    def index(self, load: Fraction) -> int:
        """The highest step whose load is at most this one; negative below the lowest."""
        if load < self.lowest.value:
            return -1
        return max(0, floor(self.steps - (self.highest.value - load) / self.resolution.value))

    def tells(self, trial: Trial) -> bool:
        """Whether a trial that did not pass says why; see `untold`."""
        return not self.untold(trial)

    def untold(self, trial: Trial) -> str:
        """Why a trial does not tell whether the device lost too much; empty if it does.

        Counts may leave that open, and with a timeout the delays of the frames that arrived.
        """
        if self.sustained and not trial.sustained:
            return ""
        within = trial.loses_at_most(self.loss.value)
        if within is None:
            return remarks.loss_open(trial)
        if not within or self.timeout is None:
            return ""
        if trial.delay_objections:
            return trial.delay_objections[0]
        if trial.loses_at_most(self.loss.value, self.timeout) is not None:
            return ""
        late = trial.late_bounds(self.timeout)
        if late is None:
            return undelayed([trial]) or "not every frame that arrived was timed"
        return (
            f"{late[0]:,} to {late[1]:,} of {trial.sent:,} frames were later than {self.timeout}: "
            "delays are known as well as their buckets, and those of copies are among them"
        )

    def passes(self, trial: Trial) -> bool:
        """Whether the tester did its part, the device lost no more than is allowed, and kept up if asked."""
        kept_up = not trial.findings and not (self.sustained and not trial.sustained)
        in_time = self.timeout is None or not trial.delay_objections
        return (
            trial.valid and kept_up and in_time and trial.loses_at_most(self.loss.value, self.timeout) is True
        )

    def fails(self, trial: Trial) -> bool:
        """Whether a trial that did not pass shows that the device cannot carry its load."""
        return trial.valid and self.tells(trial)

    def __str__(self) -> str:
        return (
            f"loss {self.loss}, {self.lowest} to {self.highest} of line rate in steps of {self.resolution}, "
            f"trials of {self.trial_duration}, scouts of {self.scout_duration}{self.lateness}"
        )

    @property
    def lateness(self) -> str:
        """The frames that count as lost although they arrived, as people read it; empty if there are none."""
        return f", frames later than {self.timeout} are lost" if self.timeout else ""
