# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface between procedures and testers: an object that runs one trial."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from ..measurement.trial import Trial
from ..model.units import Duration


class Measurer(Protocol):
    """Runs trials. The measurer decides what is sent, and through which device."""

    def measure(self, load: Fraction, duration: Duration) -> Trial:
        """One trial at `load` (part of line rate, above 0 up to 1) for `duration`.

        A trial in which the tester did not do its part comes back with `objections`, after as many
        repetitions as the measurer allows itself.

        Raises:
            TargetError: the tester is broken, gone or late. Trials already measured are recorded.
        """
        ...
