# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of laws of departures: the fake tester refuses those that `plan.proto` does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import singledispatch
from itertools import pairwise

from ...errors import PlanError
from ...model.departures import MOST_MESSAGES, MOST_POINTS
from ...model.pattern import MOST_STAGES
from ...model.plan.law import Law, Profile, Replay, Script, Steady
from ...model.plan.plan import PlannedStream
from ...model.plan.random_law import Exponential, OnOff, Quantiles, Random, RandomTimes

_MOST_STRETCHES = 1 << 16
_MOST_OF_A_STAGE = 1 << 32
_LONGEST_NS = 10**18


def check_departures(stream: PlannedStream) -> None:
    """Raises PlanError for the first thing that is wrong with a stream's law."""
    for problem in _problems(stream.departures.law):
        raise PlanError(f"stream {stream.name!r}: {problem}")
    law = stream.departures.law
    for message in law.messages if isinstance(law, Script) else ():
        if message.frame >= len(stream.frames):
            raise PlanError(
                f"stream {stream.name!r}: a message has frame {message.frame} of {len(stream.frames)}"
            )


@singledispatch
def _problems(law: Law) -> Iterator[str]:
    raise TypeError(f"{law} is no law of plan.proto")


@_problems.register
def _steady(law: Steady) -> Iterator[str]:
    yield from _rate(law.tick)
    if len(law.stages) > MOST_STAGES:
        yield f"{len(law.stages)} stages; at most {MOST_STAGES}"
    for stage in law.stages:
        if stage.period >= _MOST_OF_A_STAGE:
            yield f"the stage {stage} is too long; its period is to be below 2^32"


@_problems.register
def _profile(law: Profile) -> Iterator[str]:
    if not 1 <= len(law.stretches) <= _MOST_STRETCHES:
        yield f"{len(law.stretches)} stretches; 1 to {_MOST_STRETCHES}"
    for stretch in law.stretches:
        if not 0 <= stretch.packets <= stretch.duration_ns or stretch.duration_ns < 1:
            yield f"a stretch of {stretch.packets} packets in {stretch.duration_ns} ns; at most one each ns"
    if not any(stretch.packets for stretch in law.stretches):
        yield "no stretch has packets; at least one must"


@_problems.register
def _script(law: Script) -> Iterator[str]:
    if not 1 <= len(law.messages) <= MOST_MESSAGES:
        yield f"{len(law.messages)} messages; 1 to {MOST_MESSAGES}"
    for message in law.messages:
        if message.packets < 1 or min(message.pause_ns, message.gap_ns) < 0:
            yield f"{message}; at least 1 packet, and times that are not below 0"
    if law.repeat and not any(m.pause_ns or (m.packets - 1) * m.gap_ns for m in law.messages):
        yield "it repeats, and all its messages together take no time"


@_problems.register
def _replay(law: Replay) -> Iterator[str]:
    if law.fixed is not None:
        yield from _rate(law.fixed)
    elif law.scale is None or law.scale <= 0:
        yield f"a scale of {law.scale}; it is to be above 0"


@_problems.register
def _random(law: Random) -> Iterator[str]:
    yield from _unlikely(law.distribution)


@singledispatch
def _unlikely(distribution: RandomTimes) -> Iterator[str]:
    raise TypeError(f"{distribution} is no distribution of plan.proto")


@_unlikely.register
def _exponential(distribution: Exponential) -> Iterator[str]:
    yield from _mean(distribution.mean_ns)


@_unlikely.register
def _quantiles(distribution: Quantiles) -> Iterator[str]:
    probabilities, gaps = distribution.probabilities, distribution.gaps_ns
    if not 2 <= len(probabilities) == len(gaps) <= MOST_POINTS:
        yield f"{len(probabilities)} probabilities and {len(gaps)} gaps; 2 to {MOST_POINTS} of each"
    if probabilities[0] != 0 or probabilities[-1] != 1:
        yield f"probabilities from {probabilities[0]} to {probabilities[-1]}; from 0 to 1"
    for values in (probabilities, gaps):
        if any(after < before for before, after in pairwise((0.0, *values))):
            yield f"{values}: they are to be at least 0 and never to fall"
    yield from _mean(float(1 / distribution.rate))


@_unlikely.register
def _on_off(distribution: OnOff) -> Iterator[str]:
    yield from _rate(distribution.tick)
    yield from _mean(distribution.on_mean_ns)
    yield from _mean(distribution.off_mean_ns)


def _rate(rate: Fraction) -> Iterator[str]:
    if not 0 < rate <= 1:
        yield f"{rate} frames each nanosecond are not above 0 and at most 1"


def _mean(mean_ns: float) -> Iterator[str]:
    if not 1 <= mean_ns <= _LONGEST_NS:
        yield f"a mean of {mean_ns} ns; 1 to {_LONGEST_NS}"
