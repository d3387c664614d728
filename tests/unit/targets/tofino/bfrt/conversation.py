# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorded conversation, call by call; and the errors of the vendor's client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .messages import Message

CONVERSATION = Path(__file__).with_name("conversation.json")


class Unrecorded(Exception):
    """A message is another one than the recorded one."""


class RpcError(Exception):
    """An error of gRPC."""

    def __init__(self, code: str, details: str) -> None:
        super().__init__(details)
        self._code, self._details = code, details

    def code(self) -> Any:
        return SimpleNamespace(name=self._code)

    def details(self) -> str:
        return self._details


class Entries(RpcError):
    """An error of some entries of a batch."""

    def __init__(self, errors: Sequence[tuple[int, str]]) -> None:
        super().__init__("UNKNOWN", "batch")
        self.wrong = [
            (number, SimpleNamespace(canonical_code=code, message=message))
            for number, (code, message) in enumerate(errors)
            if code
        ]


class BfruntimeRpcException(Exception):
    """An error, with the name that the vendor's client gives it."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self._error = error

    def grpc_error_get(self) -> Any:
        return None if isinstance(self._error, Entries) else self._error

    def sub_errors_get(self) -> list[tuple[int, Any]]:
        return self._error.wrong if isinstance(self._error, Entries) else []


@dataclass
class Conversation:
    """The remaining recorded calls of a step, and the daemon's unasked messages."""

    recorded: Mapping[str, Any] = field(default_factory=lambda: json.loads(CONVERSATION.read_text("utf-8")))
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    told: list[tuple[str, Any]] = field(default_factory=list)

    def exchange(self, rpc: str, message: Message) -> Any:
        """The recorded answer to a message, which is the recorded one."""
        asked = {"rpc": rpc, "request": message.words()}
        call = self.calls.pop(0) if self.calls else {}
        recorded = {name: call.get(name) for name in asked}
        if asked != recorded:
            raise Unrecorded(f"asked: {json.dumps(asked)}\nrecorded: {json.dumps(recorded)}")
        if "error" in call:
            code, details = call["error"]
            raise Entries(details) if code == "sub" else RpcError(code, details)
        return Message(call.get("answer"))

    def next_told(self, kind: str) -> Any:
        """RuntimeError, as the vendor's client has it, when there is no more."""
        for number, (told_kind, what) in enumerate(self.told):
            if told_kind == kind:
                del self.told[number]
                return what
        raise RuntimeError("nothing was told")


NOW = Conversation()
