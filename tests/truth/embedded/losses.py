# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A verdict on the loss of a trial beside the loss that the kernel has counted."""

from __future__ import annotations

import random
from fractions import Fraction

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.verdicts.judging import loss_below
from TesterLibrary.model.units.units import Ratio

from ..case import Case, near


def loss_case(draw: random.Random, trial: Trial, part: Fraction, about: str) -> Case:
    """`part` is the truth. Where nothing arrives even a loss of 100 % is not shown to be the device's."""
    bound = min(Fraction(1), near(draw, part, Fraction(1, trial.sent)))
    excuse = "nothing arrives" if part == 1 else ""
    return Case(
        "loss_below", part <= bound, loss_below([trial], Ratio(bound)), excuse, f"bound {bound}; {about}"
    )
