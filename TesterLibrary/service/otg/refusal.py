# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The error of a request that is refused, or fails: all that is wrong with it, in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from ...errors import PlanError, TesterLibraryError, UnitError

_LONGEST = 2000  # characters of a line for who watches


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


class _Noting:
    """The context of `Findings.at`: as a generator it would take several times as long, for each field."""

    def __init__(self, findings: Findings, path: str) -> None:
        self._findings, self._path = findings, path

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, _: type | None, problem: BaseException | None, __: TracebackType | None) -> bool:
        if not isinstance(problem, (PlanError, UnitError)):
            return False
        self._findings.add(self._path, str(problem))
        return True


class Findings:
    """Errors of one request as they are found."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def add(self, path: str, problem: str) -> None:
        """Notes what is wrong at a place of the request."""
        self.errors.append(f"{path}: {problem}" if path else problem)

    def at(self, path: str) -> _Noting:
        """Notes what is refused within as wrong at that place."""
        return _Noting(self, path)

    def settle(self) -> None:
        """OtgError if anything was found."""
        if self.errors:
            raise OtgError(self.errors)


def one_line(text: str) -> str:
    """A text with what a client sent as one line of a log: none of its lines passes for one of ours."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[:_LONGEST].split()))
