# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The trend of each figure and its standing: for the console, for programs, and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from ...model.units.number import counted, percent
from ..pages.value_text import text_in
from ..record.long_name import short_names_of
from ..record.outcome import EXIT_STATUS, FAIL, INCONCLUSIVE, PASS
from .database import Series
from .figure import Point
from .judge import WINDOW, Alarm, State, too_few
from .level import Method, levels


class Standing(Enum):
    """The present state of a figure, the most urgent first."""

    ALARMED = "alarmed"
    CONFIRMED = "confirmed"
    CANDIDATE = "candidate"
    NOT_TOLD = "not told"  # the tester of the newest run was not fit
    TOO_FEW = "too few"
    RECOVERED = "recovered"  # in the newest run
    REFUTED = "refuted"  # in the newest run
    STEADY = "steady"


@dataclass(frozen=True)
class Trend:
    """A figure, and what is to be said of it."""

    series: Series
    standing: Standing
    alarm: Alarm | None  # that the standing is of
    reason: str
    method: Method  # what parts the values into levels

    @property
    def last(self) -> Point:
        """The newest value."""
        return self.series.points[-1]

    @property
    def name(self) -> str:
        """Suite, test and subject, on one line."""
        key = self.series.key
        which = f" ({key.number})" if key.number > 1 else ""
        return f"{short_names_of(key.suite)[-1]} · {key.test}: {key.subject}{which}"

    @property
    def measured(self) -> str:
        """The newest value with its unit."""
        return "no number" if self.last.value is None else text_in(self.last.value, self.series.key.unit)

    def text(self) -> str:
        """The figure on one line."""
        return f"{self.standing.value:<10} {self.name} is {self.measured} ({self.reason})"

    def record(self) -> dict[str, Any]:
        """The trend for JSON."""
        series, key = self.series, self.series.key
        return {
            "figure": series.id,
            "testbed": key.testbed,
            "device_kind": key.device_kind,
            "device": self.last.device,
            "version": self.last.version,
            "profile": key.profile,
            "suite": key.suite,
            "test": key.test,
            "of": key.subject,
            "number": key.number,
            "size": key.size,
            "unit": key.unit,
            "standing": self.standing.value,
            "reason": self.reason,
            "points": [_point(point) for point in series.points],
            "alarms": [_alarm(alarm) for alarm in series.alarms],
        }


def trends(
    found: Sequence[Series], newest: Sequence[str], method: Method = Method.JUMPAVG
) -> tuple[Trend, ...]:
    """All figures, the most urgent first. `newest` are the runs that are looked at."""
    order = list(Standing)
    made = [Trend(series, *_standing(series, frozenset(newest), method), method=method) for series in found]
    return tuple(sorted(made, key=lambda trend: order.index(trend.standing)))


def status(found: Sequence[Trend], newest: Sequence[str]) -> int:
    """The status of FAIL if an alarm is open, of INCONCLUSIVE if a newest value says nothing yet, or of PASS.

    Figures that the newest runs did not measure count by their open alarms only.
    """
    if any(trend.standing in (Standing.ALARMED, Standing.CONFIRMED) for trend in found):
        return EXIT_STATUS[FAIL]
    looked_at = [trend for trend in found if trend.last.run in newest]
    doubts = (Standing.CANDIDATE, Standing.NOT_TOLD, Standing.TOO_FEW)
    doubt = not looked_at or any(trend.standing in doubts for trend in looked_at)
    return EXIT_STATUS[INCONCLUSIVE if doubt else PASS]


def time_text(at: datetime) -> str:
    """A time as the trend prints it."""
    return f"{at:%Y-%m-%d %H:%M}"


def _standing(series: Series, newest: frozenset[str], method: Method) -> tuple[Standing, Alarm | None, str]:
    """The standing of a figure, the alarm that it is of, and the reason."""
    unit, fit = series.key.unit, [point for point in series.points if point.fit]
    last = series.alarms[-1] if series.alarms else None
    alarm = series.open_alarm or (last if last and last.state is State.CANDIDATE else None)
    if alarm:
        reason = f"{_change(alarm, unit)} since {time_text(alarm.since)}; " + alarm_history(alarm)
        if alarm.state is State.CANDIDATE:
            reason += "; measure it again"
        return Standing(alarm.state.value), alarm, reason
    if not series.points[-1].fit:
        return Standing.NOT_TOLD, None, series.points[-1].reason or "it is no number"
    if too_few(fit, series.alarms):
        return Standing.TOO_FEW, None, f"{counted(len(fit), 'value')}; a level needs more"
    if last and last.state in (State.RECOVERED, State.REFUTED) and last.steps[-1].run in newest:
        return Standing(last.state.value), last, alarm_history(last)
    values = [point.value for point in fit[-WINDOW:] if point.value is not None]
    level = levels(values, method)[-1]
    reason = (
        f"{counted(len(fit), 'value')}; level {text_in(level.mean, unit)} of the last {len(level.values)}"
    )
    return Standing.STEADY, None, reason


def _change(alarm: Alarm, unit: str) -> str:
    part = f", {percent((alarm.value - alarm.before) / abs(alarm.before), 2, '+')}" if alarm.before else ""
    return f"{text_in(alarm.before, unit)} before{part}"


def alarm_history(alarm: Alarm) -> str:
    """The states that an alarm came to, with their times and reasons."""
    return ", ".join(
        f"{step.state.value} {time_text(step.at)}" + (f" because {step.note}" if step.note else "")
        for step in alarm.steps
    )


def _point(point: Point) -> dict[str, Any]:
    return {
        "run": point.run,
        "at": f"{point.at.isoformat(timespec='milliseconds')}+00:00",
        "value": point.value,
        "uncertainty": point.uncertainty if point.value is not None else None,
        "verdict": point.outcome,
        "reason": point.reason,
        "fit": point.fit,
        "device": point.device,
        "version": point.version,
        "tester": point.tester,
    }


def _alarm(alarm: Alarm) -> dict[str, Any]:
    return {
        "state": alarm.state.value,
        "before": alarm.before,
        "threshold": alarm.threshold,
        "value": alarm.value,
        "steps": [
            {
                "state": step.state.value,
                "at": f"{step.at.isoformat(timespec='milliseconds')}+00:00",
                "run": step.run,
                "value": step.value,
                "note": step.note,
            }
            for step in alarm.steps
        ],
    }
