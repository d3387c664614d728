# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The exact bytes that a fake stream sends, as `plan.proto` defines them."""

from __future__ import annotations

from dataclasses import replace

from ...model.plan.edit import PlannedEditor, Values
from ...model.plan.plan import PlannedStream
from ...planning.flows import FlowSpace

_SIGNATURE = 16
_MODULUS = 0xFFFF
_48_BITS = (1 << 48) - 1


class FakeContent:
    """The frames of a planned stream."""

    def __init__(self, planned: PlannedStream) -> None:
        self.planned = planned
        self._spaces = [FlowSpace.of(_in_version(planned, version)) for version in (0, 1)]

    def frame(self, number: int, *, left_ns: int, version: int) -> bytes:
        """Frame `number`, from 0, with the version and the signature with which it leaves."""
        frame = self._spaces[version].frame(number)
        if not self.planned.signature:
            return frame
        return frame[:-_SIGNATURE] + _signature(self.planned, number, left_ns)


def _in_version(planned: PlannedStream, version: int) -> PlannedStream:
    if planned.version is None:
        return planned
    bit = PlannedEditor(
        "version", planned.version.bit_offset, 1, 1, Values((version,)), planned.version.coverage
    )
    return replace(planned, editors=(*planned.editors, bit))


def _signature(planned: PlannedStream, number: int, left_ns: int) -> bytes:
    """Sixteen bytes whose one's-complement sum is that of the planned ones: `plan.proto`, SIGNATURE."""
    named = planned.id << 112 | (number & _48_BITS) << 64 | (left_ns & _48_BITS) << 16
    wanted = int.from_bytes(planned.frame[-_SIGNATURE:], "big")
    return (named | (wanted - named) % _MODULUS).to_bytes(_SIGNATURE, "big")
