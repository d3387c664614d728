# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves requests from standard input, with answers on standard output: one JSON object in each line."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any


class Refusal(Exception):
    """An error that becomes the answer to a request."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Client:
    """The client of a switch, and the entries that are written and deleted when it is gone."""

    def __init__(self, switch: Any) -> None:
        self._switch = switch
        self._written: list[dict[str, Any]] = []
        self._removed: list[dict[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        do = request.pop("do")
        try:
            return {"done": getattr(self if do == "on_loss" else self._switch, do)(**request)}
        except Refusal as refusal:
            return {"error": refusal.kind, "message": str(refusal)}

    def on_loss(self, batch: list[dict[str, Any]], removed: list[dict[str, Any]]) -> None:
        """Replaces the entries to write and to delete when the client is gone."""
        self._written, self._removed = batch, removed

    def lost(self) -> None:
        """Writes and deletes these entries, because the client has ended or was killed."""
        for do, batch in ((self._switch.write, self._written), (self._switch.delete, self._removed)):
            if batch:
                with suppress(Refusal):  # the switch is gone, too
                    do(batch)


def serve(switch: Any) -> None:
    """Answers requests on standard input by the methods of a switch until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # text that a library prints must not become an answer
    client = Client(switch)
    try:
        for line in sys.stdin:
            print(json.dumps(client.answer(json.loads(line))), file=answers, flush=True)
    finally:
        client.lost()
