# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A sequential test (Wald 1945): predictions are weighed against chance until one is out of question.

The odds are those of predictions that always come true. The first failure ends the search of a condition,
so only the error of the other kind is left: chance that fulfils all predictions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb, log

ERROR = 1e-3  # the probability at which chance is accepted as a cause, or a cause as chance
_FLOOR = 1e-12


@dataclass
class SequentialTest:
    """Predictions that came true, weighed by how improbable each is by chance."""

    error: float = ERROR
    odds: float = field(default=0.0, init=False)  # logarithm: the prediction against chance

    def came_true(self, by_chance: float) -> None:
        """A prediction came true that chance fulfils with this probability."""
        self.odds -= log(max(by_chance, _FLOOR))

    @property
    def decided(self) -> bool:
        """Whether chance explains all this with less than the error."""
        return self.odds >= log((1 - self.error) / self.error)


def binomial(frames: int, probability: float, least: int, most: int) -> float:
    """The probability that `least` to `most` frames are lost, each independently."""
    return sum(
        comb(frames, lost) * probability**lost * (1 - probability) ** (frames - lost)
        for lost in range(max(0, least), min(frames, most) + 1)
    )
