# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every error says what was given, what is allowed, and where."""

from __future__ import annotations


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
