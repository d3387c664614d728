# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests on standard input, answers on standard output: a JSON object a line."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any


class Refusal(Exception):
    """An answer that says no."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Client:
    """Whoever asks a switch, and what is written to it when nobody asks any more."""

    def __init__(self, switch: Any) -> None:
        self._switch = switch
        self._on_loss: list[dict[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """To one request."""
        do = request.pop("do")
        try:
            return {"done": getattr(self if do == "on_loss" else self._switch, do)(**request)}
        except Refusal as refusal:
            return {"error": refusal.kind, "message": str(refusal)}

    def on_loss(self, batch: list[dict[str, Any]]) -> None:
        """Remembers entries in place of others."""
        self._on_loss = batch

    def lost(self) -> None:
        """Writes them: the client has ended, or was killed."""
        if self._on_loss:
            with suppress(Refusal):  # the switch is gone, too
                self._switch.write(self._on_loss)


def serve(switch: Any) -> None:
    """Answers requests on standard input by the methods of a switch until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    client = Client(switch)
    try:
        for line in sys.stdin:
            print(json.dumps(client.answer(json.loads(line))), file=answers, flush=True)
    finally:
        client.lost()
