# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A payload as its author writes it: a kind, and the text or file that some kinds need."""

from __future__ import annotations

from pathlib import Path

from ..errors import PlanError
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
