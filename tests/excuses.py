# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A test may be skipped for what its machine did only with numbers, and only so often in one run.

A plugin of pytest: every other skip of something INCONCLUSIVE fails, as does one beyond the budget. Each that
is let through is printed at the end of the run. Workers of pytest-xdist share the budget.
"""

from __future__ import annotations

import fcntl
import re
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, NoReturn

import pytest

MOST = 5  # in one run
_GIVEN = "excuses"  # the name under which workers are told the file
_NUMBER = re.compile(r"\d\s*(%|ms|ns|s\b)")


class Excused(pytest.skip.Exception):  # type: ignore[misc]  # pytest declares it as a variable
    """The machine is to blame, by number; raised in place of a call of `pytest.skip`."""

    def __init__(self, message: str, numbers: str) -> None:
        self.message, self.numbers = message, numbers
        super().__init__(f"{message} [{numbers}]")


def claimed(path: Path, excuse: str, most: int = MOST) -> bool:
    """Whether the run has one left; then it is written down, in a line of a file that processes share."""
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if len(file.readlines()) >= most:
            return False
        file.write(" ".join(excuse.split()) + "\n")
        return True


class Excuses:
    """The plugin. A worker writes into the file of the process that started it."""

    def __init__(self, config: pytest.Config) -> None:
        given = getattr(config, "workerinput", {}).get(_GIVEN)
        self._folder = None if given else tempfile.TemporaryDirectory(prefix="excuses-")
        self.file = Path(given) if given else Path(self._folder.name) / "excuses.txt"  # type: ignore[union-attr]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_GIVEN] = str(self.file)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._judged(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._judged(item))

    def _judged(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            return (yield)
        except Excused as excuse:
            if not _NUMBER.search(excuse.numbers):
                _refuse(f"{excuse.message}: the machine is blamed without a number")
            if not claimed(self.file, f"{item.nodeid}: {excuse}"):
                _refuse(f"{excuse}: {MOST} tests of this run were excused by their machine already")
            raise
        except pytest.skip.Exception as skipped:
            if "INCONCLUSIVE" in str(skipped):
                _refuse(f"{skipped}: what is INCONCLUSIVE is no reason to skip; see tests/excuses.py")
            raise

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._folder is None or not self.file.exists():
            return
        excuses = self.file.read_text(encoding="utf-8").splitlines()
        terminalreporter.section(f"skipped for what the machine did: {len(excuses)} of at most {MOST}")
        for line in excuses:
            terminalreporter.line(line)

    def pytest_unconfigure(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _refuse(message: str) -> NoReturn:
    raise pytest.fail.Exception(message, pytrace=False)


def install(config: pytest.Config) -> None:
    """Installs the excuses; the hook `pytest_configure` of a conftest calls it."""
    config.pluginmanager.register(Excuses(config), "excuses")
