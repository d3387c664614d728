# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams whose fields change, for tests."""

from __future__ import annotations

from TesterLibrary.model.editor import Editor, FieldPath, Mode
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.plan.plan import PlannedStream
from TesterLibrary.model.stream import Stream

from .bench import compiled, stream


def editor(path: str, mode: Mode, *, every: int = 1, seed: int | None = None) -> Editor:
    return Editor(FieldPath.parse(path), mode, every, seed)


def cascade(*paths: str) -> tuple[FieldPath, ...]:
    return tuple(map(FieldPath.parse, paths))


def edited(stack: str, *editors: Editor, size: int = 256, **changes: object) -> Stream:
    return stream(frame_size=str(size), headers=HeaderStack.parse(stack), editors=editors, **changes)


def planned(stack: str, *editors: Editor, size: int = 256, seed: int = 1, **changes: object) -> PlannedStream:
    return compiled(edited(stack, *editors, size=size, **changes), seed=seed).streams[0]
