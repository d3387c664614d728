# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a procedure, with the trials that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ..measurement.trial import Trial
from ..model.units.units import Duration, Ratio


def shorter(what: str, given: Duration, asked: Duration, source: str) -> tuple[str, ...]:
    """Text that names trials which are shorter than a source asks for; empty if they are not."""
    return (f"{what} of {given}: {source} asks for at least {asked}",) if given < asked else ()


def partly(what: str, part: Ratio | None, source: str) -> tuple[str, ...]:
    """Text that names a load below the throughput that a source asks for; empty if it is not below."""
    if part is None or part.value >= 1:
        return ()
    return (f"{what} at {part} of the throughput: {source} asks for all of it",)


@dataclass(frozen=True)
class Result:
    """Base of every procedure's result. Prints as one line; its fields are what the report records."""

    title: str  # streams and frame size: north, 64 bytes
    trials: tuple[Trial, ...]  # every one, in the order in which they ran

    @property
    def shortened(self) -> tuple[str, ...]:
        """Says where trials were shorter or fewer than the RFC asks; empty if none were, or no RFC asks."""
        return ()

    @property
    def traffic(self) -> str:
        """The law of departures and the number of flows of its streams; empty where no trial tells."""
        return self.trials[0].traffic if self.trials else ""

    @property
    def judged(self) -> tuple[Trial, ...]:
        """The trials that the result's value rests on; those that only led to it are left out."""
        return self.trials


def trials_of(measured: Trial | Result) -> tuple[Trial, ...]:
    """The trials to judge: the trial itself, or those that the result's value rests on."""
    return (measured,) if isinstance(measured, Trial) else measured.judged
