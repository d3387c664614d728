# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A certification that was interrupted goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ChoiceError, TesterLibraryError
from ..reporting.merge.cells import CELLS
from ..reporting.record import agenda
from ..reporting.record.record_place import EVIDENCE
from ..reporting.record.recorder import read_run
from ..reporting.record.records import read_verdicts
from .certification import Certification
from .certification_arguments import certification
from .interrupted_run import NAMED, REPEATED, set_aside, unfinished
from .robot_process import await_end


def resumed(output: Path, *, inconclusive: bool = False) -> Certification:
    """The rest of a certification that was interrupted, or had errors: its records are made ready for it.

    With `inconclusive` the tests that ended INCONCLUSIVE are run again, too.

    Raises:
        TesterLibraryError: there is no such run, its tests have changed since, or a file is missing.
    """
    evidence = output.absolute() / EVIDENCE
    if (output / CELLS).is_dir():
        raise TesterLibraryError(
            f"{output} is a campaign on several testers; go on by tester run or tester campaign with its "
            "file, and --resume"
        )
    if not (evidence / "run.json").is_file():
        raise ChoiceError(f"{output} is no run of tester certify: it has no {EVIDENCE}/run.json")
    arguments = read_run(evidence).get("certification")
    if not arguments:
        raise TesterLibraryError(
            f"{output} cannot be resumed: it was not run by tester certify, or by an older one"
        )
    return rest_of(certification(**arguments, output=output), inconclusive=inconclusive)


def rest_of(whole: Certification, *, inconclusive: bool = False) -> Certification:
    """The tests of a certification that have no verdict yet; the records in its folder are made ready.

    With `inconclusive` the tests that ended INCONCLUSIVE are run again, too.

    Raises:
        TesterLibraryError: its folder has the records of other tests.
    """
    evidence = whole.output / EVIDENCE
    items = tuple(whole.items())
    check_agenda(whole.output, evidence, items)
    check_given(whole.output, read_run(evidence), whole.deciding_files(), whole.selection.variables)
    whole.write_run_files()
    if whole.by:
        if inconclusive:
            raise ChoiceError("--inconclusive is not for a campaign on several testers; leave it out")
        return replace(whole, again=whole.by.left(whole))
    await_end(whole.output)
    if faults := read_verdicts(evidence).faults:
        raise TesterLibraryError(f"{whole.output} cannot be resumed: {faults[0]}; run it from its begin")
    pending = unfinished(evidence, items)
    again = unfinished(evidence, items, inconclusive=inconclusive)
    set_aside(evidence, pending)
    set_aside(evidence, [item for item in again if item not in pending], REPEATED)
    return replace(whole, again=again)


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
