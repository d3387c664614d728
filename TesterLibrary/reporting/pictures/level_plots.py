# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of what a device reached at each level that it was asked for, as SVG text: knees, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .canvas import COLORS, Plot


@dataclass(frozen=True)
class Level:
    """A level that was tried."""

    asked: float
    reached: float
    passed: bool


def knee(x: str, y: str, levels: Sequence[Level], maximum: float) -> str:
    """The rate reached over the rate asked for: on a line as long as the device follows, below it beyond.

    Args:
        x: What was asked for, with its unit.
        y: What was reached, with its unit.
        levels: Those that were tried; one that passed has another sign than one that did not.
        maximum: The highest one that passed; 0: none did.
    """
    known = sorted(levels, key=lambda level: level.asked)
    with Plot((x, y)) as plot:
        top = max((level.asked for level in known), default=1.0)
        plot.axes.plot([0, top], [0, top], color=COLORS[6], linestyle="--", label="as asked")
        points = [(level.asked, level.reached) for level in known]
        plot.axes.plot(*zip(*points, strict=True), color=COLORS[0], linewidth=1.0)
        for passed, color, marker, label in ((True, 2, "o", "passed"), (False, 1, "X", "did not")):
            found = [(level.asked, level.reached) for level in known if level.passed is passed]
            if found:
                style = {"linestyle": "none", "marker": marker, "markersize": 5, "color": COLORS[color]}
                plot.axes.plot(*zip(*found, strict=True), label=label, **style)
        if maximum:
            plot.axes.axvline(maximum, color=COLORS[3], linestyle=":", label="maximum")
        plot.axes.set_ylim(bottom=0)
    return plot.svg
