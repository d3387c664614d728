# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The finished part of an interrupted certification, and its records made ready for the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..reporting.merge.assembly import merge_outputs
from ..reporting.record import agenda
from ..reporting.record.codec import parse
from ..reporting.record.durable import json_line, make_directory, write_file
from ..reporting.record.finished_trials import ASIDE
from ..reporting.record.outcome import ERROR, INCONCLUSIVE
from ..reporting.record.record_chain import CHAIN, FIELD, rechained
from ..reporting.record.recorder import EARLIER_ATTEMPT, earlier_attempt, read_run

NAMED = "file"  # the kind of a file that a suite names, and the run may read
REPEATED = "repeated"  # folders of the evidence with tests that run again, of which no trial is taken over
_KINDS = ("trial", "result", "verdict", "withdrawal", "test", "event")
_REBOT_FAILED = 251  # up to 250 it is the number of failed tests


def unfinished(
    evidence: Path, items: Sequence[agenda.Item], *, inconclusive: bool = False
) -> tuple[agenda.Item, ...]:
    """The tests that have to run: those without a record, and those that ended with an error.

    An interrupted test is such an error. Whatever ended with a verdict, or judged nothing, is finished;
    with `inconclusive` without those of which the tester could not tell.
    """
    again = (ERROR, INCONCLUSIVE) if inconclusive else (ERROR,)
    done = {
        (record["suite"], record["test"])
        for record in _read(evidence / "tests.jsonl")
        if record["outcome"] not in again
    }
    whole = agenda.read(evidence)
    run = whole.items if whole else tuple(items)
    chosen = {(item.suite, item.chosen) for item in run if (item.suite, item.test) not in done}
    # A template runs all of its own.
    return tuple(item for item in run if (item.suite, item.chosen) in chosen)


def set_aside(evidence: Path, again: Sequence[agenda.Item], name: str = ASIDE) -> Path | None:
    """Moves the records of tests that run again, and of the setups of their suites, to a folder beside them.

    Otherwise the report would take trials of the one attempt for those of the other: they have the same
    numbers. A line that a killed run has not finished is moved, too. How they had ended stays, as events.

    Returns:
        The folder; None if there was nothing to be moved.
    """
    tests = {(item.suite, item.test) for item in again}

    def moves(record: Mapping[str, Any]) -> bool:
        suite, test = record.get("suite", ""), record.get("test", "")
        if record.get("event") == EARLIER_ATTEMPT:
            return False
        if test:
            return (suite, test) in tests
        return any(f"{item.suite}.".startswith(f"{suite}.") for item in again)

    verdicts = {record["number"] for record in _read(evidence / "verdicts.jsonl") if moves(record)}
    moved: dict[str, list[str]] = {}
    chained = (evidence / "run.json").is_file() and CHAIN in read_run(evidence)
    attempts: list[str] = []  # events of how tests that move had ended
    numbers: dict[int, int] = {}  # of the verdicts that stay, without gaps
    for kind in _KINDS:
        path = evidence / f"{kind}s.jsonl"
        events = attempts if kind == "event" else []
        if not path.exists() and not events:
            continue
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else [""]
        kept: list[str] = []
        gone = [lines.pop()]
        for line in lines:
            record = json.loads(line)
            if record["verdict"] in verdicts if kind == "withdrawal" else moves(record):
                gone.append(line)
                if kind == "test":
                    attempts.append(json_line(earlier_attempt(record)))
                continue
            if kind == "verdict":
                number = numbers[record["number"]] = len(numbers) + 1
                line = json_line({**record, "number": number})
            elif kind == "withdrawal":
                line = json_line({**record, "verdict": numbers[record["verdict"]]})
            kept.append(line)
        if gone := list(filter(None, gone)):
            moved[path.name] = gone
        kept += events
        if gone or kept != lines:
            anew = rechained(kept) if chained or any(f'"{FIELD}"' in line for line in kept) else kept
            write_file(path, "".join(f"{line}\n" for line in anew))
    if not moved:
        return None
    folder = _free(evidence, name)
    make_directory(folder)
    for name, lines in moved.items():
        write_file(folder / name, "".join(f"{line}\n" for line in lines))
    return folder


def merge(first: Path, second: Path) -> None:
    """Puts the tests of the second output of Robot into the first one, in place of their earlier results."""
    if not second.exists():
        return
    if not first.exists():
        second.replace(first)
        return
    merged = first.with_suffix(".merged")
    if (
        merge_outputs((first, second), merged) >= _REBOT_FAILED
    ):  # an output that a killed run has left unfinished
        second.replace(first)
        return
    merged.replace(first)
    second.unlink()


def check_agenda(output: Path, evidence: Path, items: Sequence[agenda.Item]) -> None:
    """TesterLibraryError if the tests are others than those of the interrupted run."""
    known = agenda.read(evidence)
    names = [(item.suite, item.test) for item in items]
    if known is None or [(item.suite, item.test) for item in known.plan] != names:
        raise TesterLibraryError(
            f"the tests are no longer those of {output}: a suite, testbed or profile has changed since; "
            "run it from its begin, without --resume"
        )


def check_given(
    output: Path,
    run: Mapping[str, Any],
    files: Sequence[Mapping[str, str]],
    variables: Mapping[str, str],
) -> None:
    """TesterLibraryError if a file or a variable is another one than when the run began.

    The certificate would have what was measured with the first ones under the name of the second ones.

    Args:
        output: The folder of the run.
        run: Its run.json.
        files: Those of now, with their SHA-256.
        variables: Those of now.
    """
    now = {_place(file): file for file in files}
    then = {_place(file): file for file in run.get("files", ())}
    known = (run.get("certification") or {}).get("variables", variables)
    differing = [
        "the {kind} {name}".format(**(then.get(place) or now[place]))
        for place in dict.fromkeys((*then, *now))
        if (place in then or now[place]["kind"] != NAMED)  # what was not there then was not read
        and then.get(place, {}).get("sha256") != now.get(place, {}).get("sha256")
    ]
    names = sorted({*known, *variables})
    differing += [f"the variable {name}" for name in names if known.get(name) != variables.get(name)]
    if differing:
        have = "has" if len(set(differing)) == 1 else "have"
        raise TesterLibraryError(
            f"{', '.join(dict.fromkeys(differing))} {have} changed since the run in {output} began, and its "
            "results would stand under another name; undo that, or run it from its begin, without --resume"
        )


def _place(file: Mapping[str, str]) -> tuple[str, ...]:
    """The part that a file has; of the suites of a testbed, and of what they import, each has its own."""
    return file["testbed"], file["kind"], file["name"] if file["kind"] in ("suite", "import", NAMED) else ""


def _read(path: Path) -> list[dict[str, Any]]:
    """The records of a file, without a last line that was not finished."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    try:
        return [parse(line) for line in lines]
    except ValueError as problem:
        raise TesterLibraryError(f"{path} has a line that is no record: {problem}") from None


def _free(evidence: Path, name: str) -> Path:
    number = 1
    while (folder := evidence / f"{name}-{number}").exists():
        number += 1
    return folder
