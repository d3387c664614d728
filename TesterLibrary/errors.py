# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every error says what was given, what is allowed, and where."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.7  # `sent` is no `reset`, though they share three letters
_ALIKE_OF_ONE_LENGTH = 0.65  # `scr` is `src`


def closest(word: object, allowed: Iterable[object]) -> str | None:
    """The allowed word that is most like a misspelt one, in any case; None if none is like it."""
    words = {str(name).lower(): str(name) for name in allowed}
    word = str(word).lower()
    equally_long = [name for name in words if len(name) == len(word)]
    close = get_close_matches(word, words, n=1, cutoff=_ALIKE) or get_close_matches(
        word, equally_long, n=1, cutoff=_ALIKE_OF_ONE_LENGTH
    )
    return words[close[0]] if close else None


def did_you_mean(word: object, allowed: Iterable[object]) -> str:
    """A suggestion to put behind a misspelt word; empty if no allowed word is like it."""
    return suggestion(closest(word, allowed))


def suggestion(word: str | None) -> str:
    """` (did you mean 'src'?)`; empty for None."""
    return f" (did you mean {word!r}?)" if word is not None else ""


class TesterLibraryError(Exception):
    """Base of all errors of this library. The message is written for the author of the suite."""

    ROBOT_SUPPRESS_NAME = True
    __test__ = False  # pytest would take the names for test classes


class ChoiceError(TesterLibraryError):
    """A name, a file or a folder was asked for that is not there, or is taken. Nothing has been run."""


class UnitError(TesterLibraryError, ValueError):
    """A text is not a rate, a size, a time or a ratio. `ValueError` lets Robot name the argument."""


class PlanError(TesterLibraryError):
    """A job asks for what the tester cannot do; the message names the limit. Nothing has changed."""


def require(values: object, *rules: tuple[bool, str, str]) -> None:
    """Checks a procedure's values before it starts.

    Each rule says whether it holds, what it demands, and the names of the
    attributes that it speaks of. PlanError says the first rule that does not hold, and what they are.
    """
    for holds, demand, names in rules:
        if not holds:
            shown = ", ".join(f"{name} is {_shown(getattr(values, name))}" for name in names.split())
            raise PlanError(f"{demand}; {shown}")


def _shown(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value)) or "empty"
    return "not set" if value is None else str(value) or "empty"


class TestbedError(TesterLibraryError):
    """A testbed file is wrong, or its parts cannot be set up on this machine."""


class UnknownTestbed(TestbedError, ChoiceError):
    """There is no testbed of that name, and no file at that path."""


class Inconclusive(TesterLibraryError):
    """Nothing can be said about the device under test.

    Robot ends the test as skipped: never as passed, never as failed.
    """

    ROBOT_SKIP_EXECUTION = True

    def __init__(self, reason: str) -> None:
        super().__init__(f"INCONCLUSIVE: {reason}")
        self.reason = reason


class InconclusiveAttempt(Inconclusive):
    """The same of an attempt that Robot is to repeat: it repeats what failed, and nothing that is skipped."""

    ROBOT_SKIP_EXECUTION = False


class NotInstalled(Inconclusive, TestbedError):
    """An optional testbed needs packages that this machine does not have. The message names them."""


class TestbedBroken(Inconclusive, TestbedError):
    """The device of a testbed did not come up: a program of it ended, or does not listen."""


class TargetError(Inconclusive):
    """The tester is broken, gone or late. That says nothing about the device under test."""


class LeaseError(TargetError):
    """Somebody else uses the tester, or did meanwhile. The message says who, since when, and what to do."""


class VerdictFailed(TesterLibraryError, AssertionError):
    """Measured, and out of bounds."""
