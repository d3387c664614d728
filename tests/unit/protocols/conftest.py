# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Each dialogue is held with the interpreter, and with the engine where it has been built."""

from __future__ import annotations

import pytest

from TesterLibrary.protocols.interpreter import Interpreter

from . import dialogue
from .engine_machine import EngineMachine, program


@pytest.fixture(params=["interpreter", "engine"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a Dialogue talks to."""
    if request.param == "engine" and program() is None:
        pytest.skip("the engine has not been built: python3 tools/engine.py")
    made = Interpreter if request.param == "interpreter" else EngineMachine
    monkeypatch.setattr(dialogue.Dialogue, "machine", made)
