# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/matrix.md: suites by targets, and the reasons of what is not measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from TesterLibrary.files.paths import data_root

from .outcome import Kind, Outcome, Outcomes, name_of, shipped
from .target import TARGETS, Target

FILE = data_root() / "docs" / "matrix.md"
_HEAD = """\
# Which suite runs on which target

Made by `make matrix`, which runs each shipped suite on each target: do not edit it. An engine runs the suites
as they are shipped, each on its embedded testbed. The others run the same files with other variables and
in trials of a few milliseconds, and behind them is a bridge that loses nothing, a router, a shaper or
hosts of the kernel: the page says whether a suite runs, not how good a device is.

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


def text(outcomes: Outcomes) -> str:
    """The page."""
    columns = "\n".join(f"| {target.name} | {target.title} |" for target in TARGETS)
    lines = [
        _HEAD.format(columns=columns),
        f"| suite | {' | '.join(target.name for target in TARGETS)} |",
        f"|---|{'---|' * len(TARGETS)}",
    ]
    for suite in map(name_of, shipped()):
        cells = " | ".join(_cell(target, outcomes.get(target.name, {}).get(suite, {})) for target in TARGETS)
        lines.append(f"| [{suite}](../suites/{suite}.robot) | {cells} |")
    lines += ["", "## Reasons", ""]
    for target in TARGETS:
        lines += _reasons(target, outcomes.get(target.name, {}))
    return "\n".join(lines).rstrip() + "\n"


def _cell(target: Target, tests: Mapping[str, Outcome]) -> str:
    counts = {kind: sum(one.kind is kind for one in tests.values()) for kind in Kind}
    known = ", ".join(f"{count} {kind.value}" for kind, count in counts.items() if count)
    return known or target.needs or f"`make matrix ONLY={target.name}`"


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


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{names[0]} … {names[-1]} ({len(names)})"


def _escaped(said: str) -> str:
    return said.replace("|", "\\|").replace("<", "&lt;")
