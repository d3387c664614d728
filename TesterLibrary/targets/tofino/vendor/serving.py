# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests on standard input, answers on standard output: a JSON object a line."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


class Refusal(Exception):
    """An answer that says no."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def serve(switch: Any) -> None:
    """Answers requests on standard input by the methods of a switch until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"done": getattr(switch, request.pop("do"))(**request)}
        except Refusal as refusal:
            answer = {"error": refusal.kind, "message": str(refusal)}
        print(json.dumps(answer), file=answers, flush=True)
