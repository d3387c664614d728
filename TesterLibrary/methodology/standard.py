# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The standards by which trials are run: how long they last, and the waits before and after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from ..measurement.trial import Trial
from ..model.multicast import is_multicast
from ..model.stream import Stream
from ..model.units.units import Duration
from .result import shorter

_SECOND = 10**9
_WAITS = "RFC 2544 §23"


class Standard(Enum):
    """A standard, by the section that says how long a trial lasts at least."""

    RFC2544 = "RFC 2544 §24"
    RFC2889 = "RFC 2889 §5.1.2"
    RFC3918 = "RFC 3918 §3.1.5"

    @property
    def trial(self) -> Duration:
        """How long a trial lasts at least."""
        return Duration((60 if self is Standard.RFC2544 else 30) * _SECOND)

    def shortened(self, trial: Duration, trials: Sequence[Trial] = ()) -> tuple[str, ...]:
        """Says where trials, each of that length, or the waits around them are shorter than it asks for."""
        waits = unwaited(trials) if self is Standard.RFC2544 else ()
        return (*shorter("trials", trial, self.trial, self.value), *waits)


def standard_of(streams: Sequence[Stream]) -> Standard:
    """The standard that says how trials of these streams are run."""
    if any(is_multicast(stream) for stream in streams):
        return Standard.RFC3918
    meshed = any(stream.meshed or stream.copies for stream in streams)
    return Standard.RFC2889 if meshed else Standard.RFC2544


def unwaited(trials: Sequence[Trial], *, bursts: bool = False) -> Iterator[str]:
    """Says which waits of RFC 2544 §23 were left out or shorter in some of these trials.

    `bursts`: what is waited for after each is said by RFC 9004.
    """
    waits = [trial.waits for trial in trials if trial.waits]
    learning = [each.learning_ns for each in waits if each.learning_ns is not None]
    yield from _shorter("after learning frames", learning, 2 * _SECOND)
    if bursts:
        return
    if any(each.residual_ns < 2 * _SECOND for each in waits):
        yield f"residual frames were waited for until each frame had arrived: {_WAITS} asks for 2 s"
    yield from _shorter("after trials", [each.rest_ns for each in waits], 5 * _SECOND)


def _shorter(where: str, each_ns: Sequence[int], asked_ns: int) -> Iterator[str]:
    least_ns = min(each_ns, default=asked_ns)
    if least_ns < asked_ns:
        given = f"a pause of {Duration(least_ns)}" if least_ns else "no pause"
        yield f"{given} {where}: {_WAITS} asks for at least {Duration(asked_ns)}"
