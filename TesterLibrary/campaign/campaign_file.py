# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: the suites, testbeds, repetitions and limits of a run of `tester run`, in one file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..files.document import Document, Kind, Place, load_document
from ..files.paths import suite_root
from ..model.units.units import Duration
from .fleet.fleet_file import FleetEntries, fleet_entries
from .frame_sizes import frame_sizes, name_of_test

_KIND = Kind("campaign", TesterLibraryError)
# Variables that say on which testbed, and how, tests run; and Robot's own, by which records are found and
# verdicts made. As Robot compares names: without spaces, underscores and case.
_SET = {
    **dict.fromkeys(("testbed", "profilefile", "criteriafile"), "from testbeds, profile and criteria"),
    **dict.fromkeys(
        (
            *("outputdir", "outputfile", "logfile", "reportfile", "debugfile", "execdir", "tempdir"),
            *("none", "null", "true", "false", "empty", "space"),
        ),
        "by Robot Framework",
    ),
}


@dataclass(frozen=True)
class Campaign:
    """The content of a campaign's file; paths of what is read are absolute, names of what is shipped stay."""

    document: Document
    profile: str
    title: str  # empty: that of the profile
    suites: tuple[Path, ...]  # none: those of the profile
    testbeds: tuple[str, ...]  # none: those of the profile
    criteria: str | None
    repetitions: int
    variables: Mapping[str, str]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    tests: tuple[str, ...]
    sizes: tuple[str, ...]  # of frames
    time_budget: Duration | None
    output: str | None  # with the signs of strftime: `results/night-%Y-%m-%d`
    database: str | None
    key: str | None  # the file of a private key, with which the certificate is signed
    fleet: FleetEntries | None = None  # None: this machine is the only tester


def load_campaign(path: Path) -> Campaign:
    """Reads a campaign. TesterLibraryError names file, line, key and what is allowed there."""
    document = load_document(path, _KIND)
    given: Mapping[str, Any] = document.data
    variables = given.get("variables", {})
    for name in variables:
        if owner := _SET.get(re.sub(r"[\s_]", "", name).lower()):
            raise document.error(("variables", name), f"is set {owner}; leave it out here")
    budget = given.get("time_budget")
    sizes = tuple(
        size
        for number, text in enumerate(given.get("sizes", ()))
        for size in document.parsed(frame_sizes, str(text), ("sizes", number))
    )
    return Campaign(
        document=document,
        profile=_near(path, given.get("profile", "quick")),
        title=given.get("title", ""),
        suites=tuple(
            found
            for number, pattern in enumerate(given.get("suites", ()))
            for found in _suites(document, pattern, ("suites", number))
        ),
        testbeds=tuple(_near(path, name) for name in given.get("testbeds", ())),
        criteria=_near(path, given["criteria"]) if "criteria" in given else None,
        repetitions=given.get("repetitions", 1),
        variables={name: _text(value) for name, value in variables.items()},
        include=tuple(given.get("include", ())),
        exclude=tuple(given.get("exclude", ())),
        tests=(*given.get("tests", ()), *map(name_of_test, sizes)),
        sizes=sizes,
        time_budget=document.parsed(_budget, budget, ("time_budget",)) if budget else None,
        output=given.get("output"),
        database=given.get("database"),
        key=_near(path, given["key"]) if "key" in given else None,
        fleet=fleet_entries(
            document,
            lambda name: _near(path, name),
            lambda pattern, place: _suites(document, pattern, place),
        ),
    )


def _near(campaign: Path, name: str) -> str:
    """A file beside the campaign, as an absolute path; anything else stays as it is."""
    file = campaign.parent / Path(name).expanduser()
    return str(file.absolute()) if file.is_file() else name


def _suites(document: Document, pattern: str, place: Place) -> tuple[Path, ...]:
    """The suites of a path or pattern: beside the campaign, or else of those that come with the library."""
    for folder in (document.path.absolute().parent, suite_root()):
        given = Path(pattern).expanduser()
        root, parts = (Path(given.anchor), given.parts[1:]) if given.is_absolute() else (folder, given.parts)
        found = sorted(root.glob(str(Path(*parts)))) if parts else []
        chosen = tuple(path for path in found if path.is_dir() or path.suffix == ".robot")
        if chosen:
            return chosen
    raise document.error(
        place,
        f"there is no suite {pattern!r}; give a .robot file, a folder or a pattern such as night/*.robot, "
        f"below {document.path.absolute().parent} or of those that come with the library",
    )


def _budget(text: str) -> Duration:
    budget = Duration.parse(text)
    if budget.ns <= 0:
        raise ValueError(f"{text!r} is not allowed; give a time above 0, such as 2 h")
    return budget


def _text(value: object) -> str:
    """A value as Robot's command line has it."""
    return str(value)
