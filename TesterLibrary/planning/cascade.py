# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long fields keep a value: in a cascade one moves when the one before it has wrapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..errors import PlanError
from ..model.editor import FieldPath

_LONGEST = (1 << 64) - 1  # frames that share a value

Cascade = tuple[FieldPath, ...]


def cascaded(
    own: Mapping[FieldPath, int], periods: Mapping[FieldPath, int | None], cascades: Sequence[Cascade]
) -> dict[FieldPath, int]:
    """Frames that share a value of each field.

    Args:
        own: How many do by themselves.
        periods: Values after which a field wraps; None if it is random.
        cascades: Fields from the one that moves first to the one that moves last.

    Raises:
        PlanError: a cascade of a field that does not change, behind one that never wraps, or in a circle.
    """
    before = _before(own, cascades)

    def resolved(path: FieldPath, behind: Cascade) -> int:
        if path in behind:
            raise PlanError(f"a cascade of {path} that comes back to it")
        if (earlier := before.get(path)) is None:
            return own[path]
        if (period := periods[earlier]) is None:
            raise PlanError(f"a cascade of {path}: {earlier} is random, so it never wraps")
        return own[path] * period * resolved(earlier, (*behind, path))

    every = {path: resolved(path, ()) for path in own}
    for path, frames in every.items():
        if frames > _LONGEST:
            raise PlanError(f"a cascade of {path}: it would move after more than 2^64 - 1 frames")
    return every


def _before(own: Mapping[FieldPath, int], cascades: Sequence[Cascade]) -> dict[FieldPath, FieldPath]:
    """The field after whose wrapping each one moves."""
    before: dict[FieldPath, FieldPath] = {}
    for cascade in cascades:
        for path in cascade:
            if path not in own:
                known = ", ".join(map(str, own))
                raise PlanError(f"a cascade of {path}, which does not change; these do: {known}")
        for earlier, path in pairwise(cascade):
            if before.setdefault(path, earlier) != earlier:
                raise PlanError(f"a cascade of {path}: it moves with {before[path]} or {earlier}, not both")
    return before
