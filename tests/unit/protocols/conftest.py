# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Each dialogue is held with the interpreter, and with both forms of the engine where it has been built."""

from __future__ import annotations

import pytest

from TesterLibrary.protocols.interpreter import Interpreter

from . import dialogue
from .engine_machine import EngineMachine, InterpretingEngine, program

_MACHINES = {"interpreter": Interpreter, "engine": EngineMachine, "interpreting engine": InterpretingEngine}


@pytest.fixture(params=list(_MACHINES))
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that a Dialogue talks to: the interpreter or the engine."""
    if request.param != "interpreter" and program() is None:
        pytest.skip("the engine has not been built: python3 tools/engine.py")
    monkeypatch.setattr(dialogue.Dialogue, "machine", _MACHINES[request.param])
