# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/matrix.md: suites by targets, and the reasons of what is not measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from TesterLibrary.files.paths import data_root

from .outcome import Kind, Outcome, Outcomes, name_of, shipped
from .target import HERE, TARGETS, Target

FILE = data_root() / "docs" / "matrix.md"
_FOLDER = HERE.relative_to(data_root()).as_posix()
_HEAD = """\
# Which suite runs on which target

Made by `make matrix`, which runs each shipped suite on each target: do not edit it. An engine runs the suites
as they are shipped, each on its embedded testbed. The others run the same files with [other
variables](#variables) and in trials of a few milliseconds, and behind them is a bridge that loses
nothing, a router, a shaper or hosts of the kernel: the page says whether a suite runs, not how good a
device is.

| column | target |
|---|---|
{columns}

| in a cell | means |
|---|---|
| pass | so many tests ran to a verdict, which is PASS |
| refused | so many are refused by name, before anything is sent; the reasons are [below](#reasons) |
| FAIL | so many verdicts are FAIL, as they have to be: what the suite asks for is not in a bridge |
| not measured | so many are INCONCLUSIVE: the target, or the device behind it, gives no answer |
| needs … | the suite has not run on this target, which was not there |
"""
_VARIABLES = f"""\
`robot --variable NAME:VALUE` gives a suite its variables, as the page was made. Files are in
[{_FOLDER}](../{_FOLDER}). A suite's own row takes the place of that of its folder. An engine is given
none."""


def text(outcomes: Outcomes) -> str:
    """The page."""
    columns = "\n".join(f"| {target.name} | {target.title} |" for target in TARGETS)
    lines = [
        _HEAD.format(columns=columns),
        *_summary(outcomes),
        f"| suite | {' | '.join(target.name for target in TARGETS)} |",
        f"|---|{'---|' * len(TARGETS)}",
    ]
    for suite in map(name_of, shipped()):
        cells = " | ".join(_cell(target, outcomes.get(target.name, {}).get(suite, {})) for target in TARGETS)
        lines.append(f"| [{suite}](../suites/{suite}.robot) | {cells} |")
    lines += ["", "## Reasons", ""]
    for target in TARGETS:
        lines += _reasons(target, outcomes.get(target.name, {}))
    lines += ["## Variables", "", _VARIABLES, ""]
    for target in TARGETS:
        lines += _variables(target)
    return "\n".join(lines).rstrip() + "\n"


def _summary(outcomes: Outcomes) -> Iterator[str]:
    """How many suites run as a whole, in part and not at all, and what became of all tests."""
    columns = [outcomes.get(target.name, {}).values() for target in TARGETS]
    yield f"| of {len(list(shipped()))} suites | {' | '.join(target.name for target in TARGETS)} |"
    yield f"|---|{'---|' * len(TARGETS)}"
    for said, are in _SUITES.items():
        yield f"| {said} | {' | '.join(str(sum(map(are, map(_kinds, suites)))) for suites in columns)} |"
    tests = ([one for suite in suites for one in suite.values()] for suites in columns)
    yield f"| tests of all of them | {' | '.join(_counted(found) or '–' for found in tests)} |"
    yield ""


def _kinds(tests: Mapping[str, Outcome]) -> set[Kind]:
    return {one.kind for one in tests.values()}


_SUITES: Mapping[str, Callable[[set[Kind]], bool]] = {
    "each test passes": lambda kinds: kinds == {Kind.PASS},
    "some tests pass": lambda kinds: Kind.PASS in kinds and len(kinds) > 1,
    "no test passes: all are refused": lambda kinds: kinds == {Kind.REFUSED},
    "no test passes: not measured, FAIL or refused": lambda kinds: (
        Kind.PASS not in kinds and kinds != {Kind.REFUSED}
    ),
}


def _counted(tests: Iterable[Outcome]) -> str:
    counts = Counter(one.kind for one in tests)
    return ", ".join(f"{counts[kind]} {kind.value}" for kind in Kind if counts[kind])


def _cell(target: Target, tests: Mapping[str, Outcome]) -> str:
    return _counted(tests.values()) or target.needs or f"`make matrix ONLY={target.name}`"


def _reasons(target: Target, suites: Mapping[str, Mapping[str, Outcome]]) -> Iterator[str]:
    found: dict[str, dict[str, list[str]]] = {}  # by reason and suite: the tests
    for suite, tests in sorted(suites.items()):
        for test, one in tests.items():
            if one.kind is not Kind.PASS:
                said = (
                    f"{one.kind.value}: {_escaped(one.reason if one.kind is Kind.REFUSED else one.alike[1])}"
                )
                found.setdefault(said, {}).setdefault(suite, []).append(test)
    if not found:
        return
    yield f"### {target.name}"
    yield ""
    yield "| outcome | tests |"
    yield "|---|---|"
    for reason, where in found.items():
        named = "; ".join(f"{suite}: {_names(names)}" for suite, names in where.items())
        yield f"| {reason} | {named} |"
    yield ""


def _variables(target: Target) -> Iterator[str]:
    """The variables that suites are given on a target."""
    if not target.variables:
        return
    yield from (f"### {target.name}", "", "| suites | variables |", "|---|---|")
    yield f"| all | {', '.join(filter(None, (_words(target.variables), target.own_text)))} |"
    for suites, given in target.special.items():
        yield f"| {suites} | {_words(word for word in given if word not in target.variables)} |"
    yield ""


def _words(variables: Iterable[str]) -> str:
    return ", ".join(f"`{one.replace(f'{HERE}/', '')}`" for one in variables)


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{names[0]} … {names[-1]} ({len(names)})"


def _escaped(said: str) -> str:
    return said.replace("|", "\\|").replace("<", "&lt;")
