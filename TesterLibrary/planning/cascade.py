# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Computes how long fields keep a value: in a cascade each one changes when the one before it has wrapped."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from ..errors import PlanError
from ..model.editor import FieldPath

_LONGEST = (1 << 64) - 1  # the most frames that share a value

Cascade = tuple[FieldPath, ...]


def cascaded(
    every: Mapping[FieldPath, int], periods: Mapping[FieldPath, int | None], cascades: Sequence[Cascade]
) -> dict[FieldPath, int]:
    """Frames that share a value of each field.

    Args:
        every: Frames that share a value of each field outside of cascades.
        periods: Values after which a field wraps; None if it is random.
        cascades: Fields from the one that moves first to the one that moves last.

    Raises:
        PlanError: a cascade of a field that does not change, behind one that never wraps, or in a circle.
    """
    before = _before(every, cascades)

    def resolved(path: FieldPath, behind: Cascade) -> int:
        if path in behind:
            raise PlanError(f"a cascade of {path} that comes back to it")
        if (earlier := before.get(path)) is None:
            return every[path]
        if (period := periods[earlier]) is None:
            raise PlanError(f"a cascade of {path}: {earlier} is random, so it never wraps")
        return every[path] * period * resolved(earlier, (*behind, path))

    shared = {path: resolved(path, ()) for path in every}
    for path, frames in shared.items():
        if frames > _LONGEST:
            raise PlanError(f"a cascade of {path}: it would move after more than 2^64 - 1 frames")
    return shared


def _before(fields: Collection[FieldPath], cascades: Sequence[Cascade]) -> dict[FieldPath, FieldPath]:
    """For each field of a cascade, the field before it: each field changes when that one wraps."""
    before: dict[FieldPath, FieldPath] = {}
    for cascade in cascades:
        for path in cascade:
            if path not in fields:
                known = ", ".join(map(str, fields))
                raise PlanError(f"a cascade of {path}, which does not change; these do: {known}")
        for earlier, path in pairwise(cascade):
            if before.setdefault(path, earlier) != earlier:
                raise PlanError(f"a cascade of {path}: it moves with {before[path]} or {earlier}, not both")
    return before
