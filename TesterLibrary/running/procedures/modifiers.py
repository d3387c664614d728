# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of trials (RFC 2544 §11) in the current scope."""

from __future__ import annotations

from fractions import Fraction

from ...model.modifier import Modifier, Modifiers
from ..hooks.reset import filter_hooks
from ..suite import Suite


def modify(suite: Suite, modifiers: Modifiers) -> None:
    """Sets the modifiers of trials for the current scope, and loads filters into the device.

    Raises:
        PlanError: frames that cannot be sent from a port of the tester. Nothing has changed.
        TestbedError: the testbed has no hook for filters.
    """
    for port in suite.tester.ports.values():
        if streams := [*modifiers.beside(port, Fraction(1))]:
            suite.tester.check(streams)
    before = suite.scopes.modifiers.chosen
    if Modifier.FILTERS in modifiers.chosen and Modifier.FILTERS not in before:
        load, remove = filter_hooks(suite.open_testbed)
        load.run()

        def unload() -> str:
            remove.run()
            return ""

        suite.scopes.at_end(unload)
    suite.scopes.current.modifiers = modifiers
