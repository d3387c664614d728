# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance suites and how each of their tests has to end, whatever runs beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from TesterLibrary.files.paths import data_root
from tests.acceptance.robots import SUITES, SuiteTests, robot, run
from tests.acceptance.stateful_defects import DEFECTS, RIGHT, STATEFUL, Defect
from tests.acceptance.test_nat import SUITE
from tests.acceptance.test_suites import VERDICTS
from tests.acceptance.test_switching import FAILING, planted

RIGHT_WORDS = ("right", "inconclusive", "wrong", "error")
_VERDICT = "verdicts.robot"
# Suites that run on what a test has planted.
_ON_PLANTED = {
    *("captured_losses", "flooding", "group_hosts", "kernel_behind_switch", "nat", "query"),
    *("roce", "router_asks_switch", "shaped_rate", "switching"),
}


@dataclass(frozen=True)
class Case:
    """A suite on a device; what its tests have to say, by name: a status and a part of the message."""

    name: str
    run: Callable[[Path], SuiteTests]
    meant: Mapping[str, tuple[str, str]]  # what is not in it passes


def cases() -> Iterator[Case]:
    """Right devices, and each planted defect."""
    for suite in sorted(SUITES.glob("*.robot")):
        if suite.stem in _ON_PLANTED:
            continue
        meant = {name: (status, message) for name, status, message in VERDICTS}
        yield Case(suite.stem, partial(robot, suite), meant if suite.name == _VERDICT else {})
    failing = {name: ("FAIL", message) for name, message in FAILING.items()}
    yield Case("switching", _switching, failing)
    yield Case("nat", partial(robot, SUITE), {})
    yield Case("measurement", partial(robot, data_root() / "suites" / "measurement"), {})
    for name in RIGHT:
        yield Case(name, partial(robot, STATEFUL / f"{name}.robot"), {})
    for defect in DEFECTS:
        yield Case(f"{defect.suite}, {defect.test}", defect.run, _found(defect))


def _switching(folder: Path) -> SuiteTests:
    return run("switching.robot", folder / "output", f"SHORT:{planted(folder, burst=1020)}")


def _found(defect: Defect) -> Mapping[str, tuple[str, str]]:
    return {defect.test: ("FAIL", defect.message)}


def judged(test: Any, outcome: str, meant: tuple[str, str]) -> str:
    """The word for how a test ended: one of `RIGHT_WORDS`.

    A verdict is wrong if it passes what has to fail, or fails what has to pass. A test that ends in an error
    has no verdict; one that is INCONCLUSIVE has none against anybody.
    """
    status, message = meant
    if test.status == "SKIP":
        return "right" if status == "SKIP" and message in test.message else "inconclusive"
    if test.status == status and message in test.message:
        return "right"
    if test.status == "FAIL" and outcome != "FAIL":
        return "error"
    return "wrong"
