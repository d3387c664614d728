# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of running connections."""

from __future__ import annotations

from collections.abc import Callable

from ..methodology.sessions import SessionResult, session_result
from ..model.units.units import Duration
from ..running.hooks.reset import connections_hook
from ..running.suite import Suite

NO_TIME = Duration(0)


def measured_sessions(suite: Suite, title: str, name: str, duration: Duration | None) -> SessionResult:
    """Measures for a time what running clients, or a responder, do."""
    duration = duration or suite.profile.trial
    suite.progress.begin(f"{title} of {name}")
    return suite.found(session_result(suite.connections.measure_well(name, duration)))


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
