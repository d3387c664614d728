# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of a device that do not come up: nothing can be said of any device then."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from TesterLibrary.errors import Inconclusive, NotInstalled, TestbedBroken, TestbedError
from TesterLibrary.testbeds import programs

HERE: Any = SimpleNamespace(entered=nullcontext, cpu=None, sandbox=None)  # in place of a namespace


def started(*command: str) -> None:
    programs.start(HERE, command, package="mine", ready=lambda: False, how="on port 80")


def test_a_program_that_ends_is_no_failure_of_a_device() -> None:
    with pytest.raises(TestbedBroken, match="ended with status 3: no port") as broken:
        started("sh", "-c", "echo no port; exit 3")
    assert isinstance(broken.value, Inconclusive)
    assert isinstance(broken.value, TestbedError)


def test_nor_is_one_that_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_LONGEST_START", 0)
    with pytest.raises(TestbedBroken, match="sleep does not listen on port 80 after 0 s"):
        started("sleep", "60")


def test_nor_one_that_is_not_ready() -> None:
    with pytest.raises(TestbedBroken, match="it is not ready: no way"):
        programs.begin(HERE, [sys.executable, "-c", "print('no way')"], "it")(60)


def test_nor_one_that_is_not_installed() -> None:
    with pytest.raises(NotInstalled, match="the device needs 'no-such-program'; install the package mine"):
        started("no-such-program")
