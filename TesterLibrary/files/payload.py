# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A payload as its author writes it: a kind, and the text or file that some kinds need."""

from __future__ import annotations

from pathlib import Path

from ..errors import PlanError
from ..model.inline import MOST_PATTERN
from ..model.payload import Payload, PayloadKind

_MOST_OCTETS = 1 << 16  # longer than any frame


def load_payload(kind: PayloadKind, content: str) -> Payload:
    """PlanError if the kind and the content do not go together, or a file cannot be read."""
    if kind not in (PayloadKind.TEXT, PayloadKind.FILE):
        if content:
            raise PlanError(f"a payload of {kind.value} has no content; leave {content!r} out")
        return Payload(kind)
    if not content:
        needed = "the text" if kind is PayloadKind.TEXT else "the path of a file"
        raise PlanError(f"a payload of the kind {kind.value} needs a content: {needed}")
    if kind is PayloadKind.TEXT:
        return Payload(kind, content.encode())
    try:
        with Path(content).expanduser().open("rb") as file:
            return Payload(kind, file.read(_MOST_OCTETS))
    except OSError as problem:
        raise PlanError(f"payload file {content!r} cannot be read: {problem.strerror}") from problem


def load_pattern(path: str) -> tuple[bool, ...]:
    """The pattern of a file: 0 and 1 in any number of lines; blanks, and all behind a `#`, are left out.

    Raises:
        PlanError: the file cannot be read, has another character, by its line, or too many.
    """
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise PlanError(f"{path}: cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise PlanError(f"{path}: not text: {problem.reason}") from problem
    found: list[bool] = []
    for number, line in enumerate(lines, 1):
        for character in "".join(line.partition("#")[0].split()):
            if character not in "01":
                raise PlanError(f"{path}:{number}: {character!r} is neither 0 nor 1")
            found.append(character == "1")
    if not 1 <= len(found) <= MOST_PATTERN:
        raise PlanError(f"{path}: {len(found):,} packets; give 1 to {MOST_PATTERN:,}")
    return tuple(found)
