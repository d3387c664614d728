# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Modifiers of trials (RFC 2544 §11) as keywords meet them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import PlanError, TestbedError
from TesterLibrary.model.modifier import Modifier
from TesterLibrary.model.units.units import Duration

SHORT = Duration(10**8)


@pytest.mark.parametrize(
    ("what", "measure"),
    [
        ("a burst", lambda library: library.find_maximum_burst("north")),
        ("a change of the load", lambda library: library.measure_system_recovery("north", duration=SHORT)),
    ],
)
def test_what_is_sent_alone_refuses_modifiers_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, measure: Callable[[TesterLibrary], Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    library = TesterLibrary(testbed="simulated/breakpoint")
    library.open_tester()
    try:
        library.create_stream("north", tx="p1", rx="p2")
        library.set_modifiers(Modifier.BROADCAST)
        with pytest.raises(PlanError, match=f"{what} is sent alone, and 1 % broadcast frames were set; call"):
            measure(library)
        assert library.suite.tester.evidence.trials == 0
    finally:
        library.close_tester()


def test_filters_without_a_hook_name_the_hook_that_the_testbed_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    library = TesterLibrary(testbed="simulated/breakpoint")
    library.open_tester()
    try:
        with pytest.raises(TestbedError, match=r"no hook that loads filters; give dut\.reset\.filters in"):
            library.set_modifiers(Modifier.FILTERS)
    finally:
        library.close_tester()
