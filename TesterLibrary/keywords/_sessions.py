# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of running connections, and results about them that can be judged."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import TesterLibraryError
from ..measurement.trial import Trial
from ..methodology.maximum import MaximumResult, Quantity
from ..methodology.result import Result
from ..methodology.sessions import SessionResult, session_result
from ..model.units.units import Duration
from ..running.reset import connections_hook
from ..running.suite import Suite

NO_TIME = Duration(0)


def measured_sessions(suite: Suite, title: str, name: str, duration: Duration | None) -> SessionResult:
    """Measures for a time what running clients, or a responder, do."""
    duration = duration or suite.profile.trial
    suite.progress.begin(f"{title} of {name}")
    return suite.found(session_result(suite.connections.measure_well(name, duration)))


def judged_sessions(suite: Suite, measured: Trial | Result | None) -> SessionResult | MaximumResult:
    """The result to judge. Raises TesterLibraryError if it says nothing about connections."""
    judged = suite.judged(measured)
    if isinstance(judged, SessionResult | MaximumResult):
        return judged
    raise TesterLibraryError(f"this says nothing about connections; measure them first: {judged}")


def of_quantity(result: MaximumResult, quantity: Quantity) -> MaximumResult:
    """The result. Raises TesterLibraryError if it is about another quantity."""
    if result.search.quantity is not quantity:
        raise TesterLibraryError(f"this is not about the {quantity.value}: {result}")
    return result


def preparation(suite: Suite, rest: Duration, *, empty: bool) -> Callable[[], None] | None:
    """The step that empties the device for another trial; None if there is none. TestbedError: no hook."""
    hook = connections_hook(suite.open_testbed) if empty else None
    if hook is None and rest.ns <= 0:
        return None

    def prepare() -> None:
        if rest.ns > 0:
            suite.tester.clock.sleep(rest.seconds)
        if hook is not None:
            hook.run()

    return prepare
