# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries that sign frames (the control Signature of p4/) and recognize them (Classifier)."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.plan import PlannedStream
from .entry import TableEntry

_SIGN = "ExternalEgress.signature"
_FIND = "ExternalIngress.classifier"


def signing_entries(stream: PlannedStream, template: int, rest: int, port: int) -> Iterator[TableEntry]:
    """Entries that sign and recognize frames of a stream; they are expected at the device port `port`."""
    yield TableEntry(
        f"external.{_SIGN}.streams", {"stream": template}, f"{_SIGN}.sign", {"id": stream.id, "rest": rest}
    )
    yield TableEntry(
        f"external.{_FIND}.signatures",
        {"valid": 1, "id": stream.id, "rest": rest},
        f"{_FIND}.signed",
        {"stream": template, "port": port},
    )
