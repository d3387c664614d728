# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries that sign frames (the control Signature of p4/) and recognize them (Classifier)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....model.plan.plan import PlannedStream
from ....planning.switch.parts import whole
from .entry import TableEntry

_FURTHER = 0xFF00  # above it are templates of further sizes; jobs number their streams from 1 on
_SIGN = "ExternalEgress.signature"
_FIND = "ExternalIngress.classifier"
_SIGNATURES = f"external.{_FIND}.signatures"


def signing_entries(stream: PlannedStream, template: int, rest: int, port: int) -> Iterator[TableEntry]:
    """Entries that sign and recognize frames of a stream; they are expected at the device port `port`.

    Frames of a stream's further sizes have ids of their own.
    """
    id_ = stream.id if stream.id == whole(stream.id) else _FURTHER + template
    yield TableEntry(
        f"external.{_SIGN}.streams", {"stream": template}, f"{_SIGN}.sign", {"id": id_, "rest": rest}
    )
    yield TableEntry(
        _SIGNATURES,
        {"valid": 1, "id": id_, "rest": rest},
        f"{_FIND}.signed",
        {"stream": template, "port": port},
    )


def signatures(entries: Iterable[TableEntry]) -> Iterator[tuple[tuple[int, int], int]]:
    """The ids and sums by which frames are recognized, and the template of each."""
    for entry in entries:
        if entry.table == _SIGNATURES:
            numbers = [
                int(str(value)) for value in (entry.key["id"], entry.key["rest"], entry.data["stream"])
            ]
            yield (numbers[0], numbers[1]), numbers[2]
