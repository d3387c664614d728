# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A testbed of a certification, and the files that it is run with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..reporting.record.digests import digest_of
from ..reporting.record.long_name import label
from ..testbeds.load import find_testbed
from .interrupted_run import NAMED
from .suite_files import imported, inside, named, read_files, suite_digest


@dataclass(frozen=True)
class Bed:
    """A testbed of a certification, with the suites that are run there, for one time."""

    testbed: str  # for the library: a name or an absolute path
    name: str  # as the file says
    suites: tuple[Path, ...]
    criteria: Path | None  # for its device; None: its suites have bounds of their own
    repetition: int = 1
    layer: int | None = None  # of the device, as the file says

    @property
    def label(self) -> str:
        """The name of its tests in the reports."""
        return label(self.name, self.repetition)


@dataclass(frozen=True)
class BedFiles:
    """The files that a testbed is run with."""

    bed: Bed
    profile: Path
    variables: Mapping[str, str]  # of the suites, by name

    @cached_property
    def _own(self) -> Mapping[str, Path]:
        """The files beside the suites, by their kind."""
        files = {
            "testbed": find_testbed(self.bed.testbed),
            "profile": self.profile,
            "criteria": self.bed.criteria,
        }
        return {kind: path for kind, path in files.items() if path}

    def read(self) -> Iterator[Path]:
        """The files that a run reads, without the library's own and those that tests name."""
        yield from self._own.values()
        for path in self.bed.suites:
            yield from (path,) if path.is_file() else inside(path)
        yield from imported(self.bed.suites, self.variables)

    def watched(self) -> Mapping[Path, str]:
        """The files that must not change while the testbed is run, with what each is.

        Files that tests write are none of them.
        """
        own = {path.absolute(): f"the {kind} {path.name}" for kind, path in self._own.items()}
        return {**read_files(self.bed.suites, self.variables), **own}

    def named(self) -> list[Path]:
        """The files that its suites name, which tests may read, or write."""
        return named(self.bed.suites, self.variables)

    def deciding(self) -> Iterator[Mapping[str, str]]:
        """The files that decide what is measured and required, by name and SHA-256."""
        bed = self.bed
        for kind, path in self._own.items():
            yield {"testbed": bed.name, "kind": kind, "name": path.name, "sha256": digest_of(path)}
        for path in bed.suites:
            yield {"testbed": bed.name, "kind": "suite", "name": path.name, "sha256": suite_digest(path)}
        listed = {path.resolve() for path in self._own.values()}
        for kind, files in (("import", imported), (NAMED, named)):
            for path in files(bed.suites, self.variables):
                if path not in listed:
                    name = os.path.relpath(path, bed.suites[0].parent)
                    yield {"testbed": bed.name, "kind": kind, "name": name, "sha256": digest_of(path)}
