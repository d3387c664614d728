# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header fields that are compared in all frames, which not every tester does."""

from __future__ import annotations

from ...errors import PlanError
from ...model.plan.plan import Plan, PlannedField, PlannedStream


def refuse_expected_fields(plan: Plan, tester: str) -> None:
    """Raises PlanError if a plan has expected fields. `tester` is its kind with its article: `a switch`."""
    for stream in plan.streams:
        for field in stream.expected_fields:
            raise PlanError(
                f"stream {stream.name!r}: {field.name}: {tester} compares no header fields of all "
                "frames that arrive; use a testerd"
            )


def refuse_changing_fields(plan: Plan) -> None:
    """Raises PlanError for expected fields with which a fake tester sends several values."""
    for stream in plan.streams:
        for field in stream.expected_fields:
            if len(_values(stream, field)) > 1 or any(
                field.overlaps(editor.bit_offset, editor.bits) for editor in stream.editors
            ):
                raise PlanError(
                    f"stream {stream.name!r}: {field.name}: a fake tester compares only fields that are the "
                    "same in all frames of a stream; use a testerd"
                )


def _values(stream: PlannedStream, field: PlannedField) -> set[int]:
    return {field.value(frame) for frame in stream.frames}
