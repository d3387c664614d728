# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The error of a request that is refused, or fails: all that is wrong with it, in one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...errors import PlanError, TesterLibraryError, UnitError


class OtgError(TesterLibraryError):
    """An answer `{code, kind, errors}`. A request that is refused has changed nothing."""

    code, kind = 400, "validation"

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__("; ".join(errors))
        self.errors = tuple(errors)


class OtgForbidden(OtgError):
    """The client may not use the tester."""

    code = 403


class OtgFailure(OtgError):
    """The tester failed, or did not do its part."""

    code, kind = 500, "internal"


class Findings:
    """Errors of one request as they are found."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def add(self, path: str, problem: str) -> None:
        """Notes what is wrong at a place of the request."""
        self.errors.append(f"{path}: {problem}" if path else problem)

    @contextmanager
    def at(self, path: str) -> Iterator[None]:
        """Notes what is refused within as wrong at that place."""
        try:
            yield
        except (PlanError, UnitError) as refused:
            self.add(path, str(refused))

    def settle(self) -> None:
        """OtgError if anything was found."""
        if self.errors:
            raise OtgError(self.errors)
