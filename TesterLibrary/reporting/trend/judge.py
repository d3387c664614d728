# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tells a change of a figure from its noise, and a change that stays from one that does not.

`jumpavg`, the library of FD.io CSIT, parts the values into levels by minimum description length; Apache Otava
does so by E-divisive means and a t-test, if that is chosen. Where one sees a level that is worse, the change
has to be greater than the tolerance, than what is known of the values, and than four times the noise around
the levels before: the description of few values by a normal law takes the tails of other laws for levels.

One value is a *candidate* and no alarm: it is measured again. It is *alarmed* if that is as bad, and refuted
if it is not. An alarm is *confirmed* by a further value, and *recovered* when a value is back; that, too, has
a date, and the alarm stays in the database. Someone may accept an alarm: its level is the usual one then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from statistics import median

from .figure import Point
from .level import Level, Method, levels

WINDOW = 60  # values that are looked at: jumpavg takes the time of their number to the third
FEWEST = 5  # values of which a first level is known
_SETTLED = 3  # values of a level that others are compared with: fewer are spikes
_NOISES = 4  # standard deviations
_NORMAL = 1.4826  # by which the median deviation of a normal law is multiplied for its standard deviation


class State(Enum):
    """How far an alarm has come."""

    CANDIDATE = "candidate"
    ALARMED = "alarmed"
    CONFIRMED = "confirmed"
    RECOVERED = "recovered"
    REFUTED = "refuted"
    ACCEPTED = "accepted"


OPEN = (State.ALARMED, State.CONFIRMED)
_STEPPED = (State.CANDIDATE, *OPEN)  # a new value says something of these


@dataclass(frozen=True)
class Step:
    """A state that an alarm came to."""

    state: State
    at: datetime
    run: str  # whose value led to it; empty if a person did
    value: float | None
    note: str = ""


@dataclass(frozen=True)
class Alarm:
    """A change for the worse, with everything that became of it."""

    before: float  # the level until then
    threshold: float  # a change up to which none is seen
    since: datetime  # of the first value
    steps: tuple[Step, ...]  # the first is that of the candidate

    @property
    def state(self) -> State:
        """The state that it has reached so far."""
        return self.steps[-1].state

    @property
    def value(self) -> float:
        """The value with which it began."""
        return _known(self.steps[0].value)

    def then(self, step: Step) -> Alarm:
        """The alarm after a further step."""
        return replace(self, steps=(*self.steps, step))


def judge(
    points: Sequence[Point],
    alarms: Sequence[Alarm],
    higher_is_better: bool | None,
    tolerance: float,
    method: Method = Method.JUMPAVG,
) -> tuple[Alarm, ...]:
    """The alarms of a figure after its newest value.

    Args:
        points: Values of a fit tester in the order of time; the last is the new one.
        alarms: Those so far, the oldest first.
        higher_is_better: None where a change to either side is one for the worse.
        tolerance: Part of the level before, up to which a change is none.
        method: What parts the values into levels.
    """
    newest = points[-1]
    after = tuple(
        _stepped(alarm, points, alarms[:number], higher_is_better, method)
        if alarm.state in _STEPPED
        else alarm
        for number, alarm in enumerate(alarms)
    )
    changed = any(old.state is not new.state for old, new in zip(alarms, after, strict=True))
    if changed or any(alarm.state is State.ALARMED for alarm in after):
        return after
    found = _candidate(_usual(points, after), higher_is_better, tolerance, method)
    if found is None:
        return after
    before, threshold = found
    step = Step(State.CANDIDATE, newest.at, newest.run, newest.value)
    return (*after, Alarm(before, threshold, newest.at, (step,)))


def too_few(points: Sequence[Point], alarms: Sequence[Alarm]) -> bool:
    """Whether there are too few values for a change to be seen."""
    return len(_usual(points, alarms)) <= FEWEST


def noise_of(known: Sequence[Level]) -> float:
    """The standard deviation of values around their levels; single ones far away do not count."""
    apart = [abs(value - level.mean) for level in known for value in level.values]
    return _NORMAL * median(apart) if apart else 0.0


def _stepped(
    alarm: Alarm,
    points: Sequence[Point],
    others: Sequence[Alarm],
    higher_is_better: bool | None,
    method: Method,
) -> Alarm:
    """An open alarm after the newest value."""
    newest = points[-1]
    value = _value(newest)
    change = _worse_by(value, alarm, higher_is_better)

    def step(state: State) -> Alarm:
        return alarm.then(Step(state, newest.at, newest.run, value))

    if alarm.state is State.CANDIDATE:
        again = change > alarm.threshold and _apart(_usual(points, others), alarm, method)
        return step(State.ALARMED if again else State.REFUTED)
    if change <= _worse_by(alarm.value, alarm, higher_is_better) / 2:
        return step(State.RECOVERED)
    return step(State.CONFIRMED) if alarm.state is State.ALARMED else alarm


def _apart(points: Sequence[Point], alarm: Alarm, method: Method) -> bool:
    """Whether the newest values, from the candidate on, are on no level with those before."""
    new = sum(point.at >= alarm.since for point in points)
    return len(levels([_value(point) for point in points[-WINDOW:]], method)[-1].values) <= new


def _candidate(
    points: Sequence[Point], higher_is_better: bool | None, tolerance: float, method: Method
) -> tuple[float, float] | None:
    """The level before and the threshold, if the newest value is on a level that is worse."""
    points = points[-WINDOW:]
    values = [_value(point) for point in points]
    if len(values) <= FEWEST:
        return None
    newest = points[-1]
    means = [sum(values[first : first + _SETTLED]) / _SETTLED for first in range(len(values) - _SETTLED)]
    if not any(_worse(values[-1], mean, higher_is_better) > abs(mean) * tolerance for mean in means):
        return None  # no settled level can be so much better: saves the time of jumpavg
    *earlier, last = levels(values, method)
    settled = [level for level in earlier if len(level.values) >= _SETTLED]
    if not settled:
        return None
    before = settled[-1].mean
    threshold = max(
        abs(before) * tolerance,
        newest.uncertainty + median(point.uncertainty for point in points[:-1]),
        _NOISES * noise_of(settled),
    )
    worse = (_worse(value, before, higher_is_better) > threshold for value in (last.mean, values[-1]))
    return (before, threshold) if all(worse) else None


def _usual(points: Sequence[Point], alarms: Sequence[Alarm]) -> list[Point]:
    """The values among which a change is looked for.

    Those since the last alarm that stays, if one does: its level is the usual one. Without those of alarms
    that are over, which would be a level to compare with.
    """
    stays = [alarm.since for alarm in alarms if alarm.state in (State.CONFIRMED, State.ACCEPTED)]
    since = max(stays, default=datetime.min)
    over = [(alarm.since, alarm.steps[-1].at) for alarm in alarms if alarm.state is State.RECOVERED]
    return [
        point
        for point in points
        if point.at >= since and not any(first <= point.at < last for first, last in over)
    ]


def _worse_by(value: float, alarm: Alarm, higher_is_better: bool | None) -> float:
    """By how much a value is worse than the level before an alarm, to the side of its first value."""
    side = alarm.value < alarm.before if higher_is_better is None else higher_is_better
    return _worse(value, alarm.before, side)


def _worse(value: float, before: float, higher_is_better: bool | None) -> float:
    change = before - value
    return abs(change) if higher_is_better is None else change if higher_is_better else -change


def _value(point: Point) -> float:
    return _known(point.value)


def _known(value: float | None) -> float:
    assert value is not None, "the values of a fit tester, and of candidates, are numbers"
    return value
