# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries by which frames are signed (the control Signature of p4/) and known again (Classifier)."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.plan import PlannedStream
from .entry import Entry

_SIGN = "ExternalEgress.signature"
_FIND = "ExternalIngress.classifier"


def signing_entries(stream: PlannedStream, template: int, rest: int, port: int) -> Iterator[Entry]:
    """By which frames are signed, and found again; `port` is the device port where they are expected."""
    yield Entry(
        f"external.{_SIGN}.streams", {"stream": template}, f"{_SIGN}.sign", {"id": stream.id, "rest": rest}
    )
    yield Entry(
        f"external.{_FIND}.signatures",
        {"valid": 1, "id": stream.id, "rest": rest},
        f"{_FIND}.signed",
        {"stream": template, "port": port},
    )
