# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases on simulated devices, each from the seed and its number alone.

Each module of this folder whose name ends with `_judge` or `_judges` registers its own judges.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from .case import FAKE, JUDGES, SIMULATED, SWITCH, Case, Judge

for _module in sorted(module.name for module in iter_modules([str(Path(__file__).parent)])):
    if _module.endswith(("_judge", "_judges")):
        import_module(f"{__package__}.{_module}")

_ON_SWITCH = 2  # cases of a round: the fake switch takes half a second for each
ROUND = len(JUDGES[SIMULATED]) + 1 + _ON_SWITCH  # cases: each simulated device, a fake tester, switches


def judge_of(number: int) -> Judge:
    """The judges take turns."""
    turn, place = divmod(number, ROUND)
    if place < len(JUDGES[SIMULATED]):
        return JUDGES[SIMULATED][place]
    if place == len(JUDGES[SIMULATED]):
        return JUDGES[FAKE][turn % len(JUDGES[FAKE])]
    return JUDGES[SWITCH][(_ON_SWITCH * turn + place) % len(JUDGES[SWITCH])]


def case(seed: int, number: int) -> Case:
    """A case, made from the seed and its number alone."""
    return replace(judge_of(number)(random.Random(f"{seed} {number}")), number=number)


def cases(seed: int, count: int) -> Iterator[Case]:
    for number in range(count):
        yield case(seed, number)
