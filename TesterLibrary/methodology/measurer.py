# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interfaces between procedures and testers: objects that run one trial of some kind.

A trial in which the tester did not do its part comes back with `objections`, after as many repetitions as the
measurer allows itself. Every call raises TargetError when the tester is broken, gone or late; trials already
measured are recorded then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..measurement.trial import Trial
from ..model.units.units import Duration


class Measurer(Protocol):
    """Runs trials. The measurer decides what is sent, and through which device."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """One trial at `load` (part of line rate, above 0 up to 1) for `duration`."""
        ...


class BurstMeasurer(Measurer, Protocol):
    """Runs trials of bursts, too."""

    def burst(self, frames: int, rest: Duration) -> Trial:
        """One trial of so many frames of each stream back to back at line rate; then nothing for `rest`.

        The trial comes back after the rest, in which the device's buffers deplete.
        """
        ...


@dataclass(frozen=True)
class Step:
    """A load for a time, and then another one for a time."""

    load: Fraction  # part of line rate
    duration: Duration
    after: Fraction  # part of line rate, from then on
    after_duration: Duration


@dataclass(frozen=True)
class Stepped:
    """How one stream left in a trial with a step: evenly spaced before it, and evenly spaced after it."""

    stream: str
    frames: int  # before the step; the next one is due with it
    gap_ns: Fraction  # between two frames after the step

    def after_step_ns(self, number: int) -> float:
        """How long after the step a frame, numbered from 0, is due; 0 for one before it."""
        return float(max(0, number - self.frames) * self.gap_ns)


class StepMeasurer(Measurer, Protocol):
    """Runs trials whose load changes once, too."""

    def step(self, step: Step) -> tuple[Trial, tuple[Stepped, ...]]:
        """One trial, and how each of its streams left. Its load is the one before the step."""
        ...


@dataclass(frozen=True)
class Interruption:
    """The state of the device before something was done to it, and at the end of the trial."""

    missing: int  # the most frames in a row that had not arrived before, though later ones had
    arriving: bool  # frames of all streams arrived without a break before
    steady: bool  # and again at the end, without loss, for as long as was asked

    @property
    def doubt(self) -> str:
        """Why what happened then is not known to come from what was done; empty if it is."""
        if not self.arriving:
            return "frames did not arrive already before the reset"
        if self.missing:
            return f"the device lost frames already before the reset, up to {self.missing:,} in a row"
        return ""


class InterruptedMeasurer(Measurer, Protocol):
    """Runs trials while something is done to the device, too."""

    def interrupted(
        self, load: Fraction, act: Callable[[], None], *, lead: Duration, steady: Duration, limit: Duration
    ) -> tuple[Trial, Interruption]:
        """One trial at a load that goes on until the device forwards again.

        Frames are sent for `lead`, then `act` is called; sending ends when frames have arrived without a
        break and without loss for `steady` since it returned, or at the latest `limit` after it was called.
        Links that go down meanwhile are the device's doing, and the rate may be missed. An exception of `act`
        ends the trial and is raised again.
        """
        ...
