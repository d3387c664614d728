# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification from what a person types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from robot.utils import normalize

from ..errors import ChoiceError, TesterLibraryError
from ..files.criteria import criteria_file, to_copy
from ..files.paths import data_root, resource
from ..files.profile import profile_values, section
from ..testbeds import load_testbed, shipped_testbeds
from ..testbeds.load import find_testbed
from .bed import Bed
from .certification import Certification
from .selection import Selection

_INSTEAD = {  # of variables that a run sets itself
    "testbed": "name the testbed by --testbed, or in testbeds: of a campaign",
    "profilefile": "name the profile by --profile, or in profile: of a campaign",
    "criteriafile": "name the criteria by --criteria, or in criteria: of a campaign",
}


def certification(
    *,
    profile: str,
    testbeds: Sequence[str],
    criteria: str | None,
    suites: Sequence[str],
    output: Path,
    variables: Mapping[str, str] = MappingProxyType({}),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    tests: Sequence[str] = (),
    sizes: Sequence[str] = (),
    repetitions: int = 1,
    time_budget_s: float | None = None,
    title: str = "",
) -> Certification:
    """A certification from what a person types.

    `sizes` are frame sizes that suites get a test for if they have none; `tests` chooses among all.

    Raises:
        TesterLibraryError: a file is not there; the message names those that are.
    """
    for name in variables:
        if instead := _INSTEAD.get(normalize(name, ignore="_")):
            raise ChoiceError(
                f"the variable {name} is set by the run itself, for each of its testbeds; {instead}"
            )
    path = resource("criteria/profiles", profile)
    files = tuple(_suite(name) for name in suites)
    runs = section(profile_values(path), "runs")
    if testbeds:
        shipped = tuple(dict.fromkeys(name for run in runs for name in run["suites"]))
        bounded = any(run.get("criteria") for run in runs)
        runs = [{"testbed": name, "suites": shipped, "criteria": bounded} for name in testbeds]
    beds = tuple(_bed(run, files, criteria) for run in runs)
    return Certification(
        beds=tuple(replace(bed, repetition=n) for n in range(1, repetitions + 1) for bed in beds),
        profile=path,
        output=output.absolute(),
        selection=Selection(variables, tuple(include), tuple(exclude), tuple(tests), tuple(sizes)),
        time_budget_s=time_budget_s,
        named=title,
        given={
            "profile": _absolute(profile),
            "testbeds": list(map(_absolute, testbeds)),
            "criteria": _absolute(criteria) if criteria else None,
            "suites": list(map(str, files)),
            "variables": dict(variables),
            "include": list(include),
            "exclude": list(exclude),
            "tests": list(tests),
            "sizes": list(sizes),
            "repetitions": repetitions,
            "time_budget_s": time_budget_s,
            "title": title,
        },
    )


def _absolute(name_or_path: str) -> str:
    """A path from anywhere; a name of something shipped stays."""
    path = Path(name_or_path).expanduser()
    return str(path.absolute()) if path.exists() else name_or_path


def _bed(run: Mapping[str, Any], suites: tuple[Path, ...], criteria: str | None) -> Bed:
    """A testbed of the run with its suites: those given, or else those of the profile."""
    file = find_testbed(run["testbed"])
    names = {path: name for name, path in shipped_testbeds().items()}
    testbed = names.get(file) or str(file)
    described = load_testbed(run["testbed"])
    chosen = suites or tuple(data_root() / "suites" / suite for suite in run["suites"])
    if criteria is not None:
        return Bed(testbed, described.name, chosen, _criteria(criteria), layer=described.dut.layer)
    if not run.get("criteria"):
        return Bed(testbed, described.name, chosen, None)
    try:
        bounds = criteria_file(testbed)
    except TesterLibraryError:
        if suites and not any(map(_uses_criteria, suites)):
            return Bed(testbed, described.name, chosen, None)
        raise
    return Bed(testbed, described.name, chosen, bounds, layer=described.dut.layer)


def _criteria(name: str) -> Path:
    """The file of criteria. A folder, or a file that does not exist, raises ChoiceError."""
    path = Path(name).expanduser()
    if not path.is_file():
        why = f"{path} is a folder" if path.is_dir() else f"there is no file {path} (from {Path.cwd()})"
        raise ChoiceError(f"criteria: {why}; give a file with bounds. {to_copy()}")
    return path.resolve()


def _uses_criteria(suite: Path) -> bool:
    """Whether a suite, or one in a folder, reads the bounds of a device."""
    files = [suite] if suite.is_file() else [*suite.rglob("*.robot"), *suite.rglob("*.resource")]
    return any("CRITERIA" in file.read_text(encoding="utf-8", errors="replace") for file in files)


def _suite(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        raise ChoiceError(f"there is no suite {path} (from {Path.cwd()})")
    return path.absolute()
