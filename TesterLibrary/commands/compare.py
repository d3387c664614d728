# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester compare`: what became worse, or better, from one run to another."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import TesterLibraryError
from ..model.units.number import counted, percent
from ..model.units.units import Bandwidth, Ratio, duration_text
from ..reporting.pages.comparison import Change, Comparison, compare, status
from ..reporting.pages.rebuild import evidence_of
from ..reporting.record.records import Records, read_consistent, read_longest_trials, short_names
from ._command import command

_SAME_LENGTH = 1.1  # trials that end by what they see are never quite as long as each other
_DESCRIPTION = """
Compares the values that two runs judged: value by value, the worse ones first. A value is not compared where
one of the runs did not measure it, or its tester fell short. exit status: 0 nothing is worse; 1 a value is
worse, or a PASS became a FAIL; 2 a value was not compared; 3 an error; 64 the command line is wrong.
"""


@command("compare", help="compare the values of two runs", description=_DESCRIPTION)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="BEFORE", type=Path, help="a run: a folder such as results/latest")
    parser.add_argument("after", metavar="AFTER", type=Path, help="the run that is looked at")
    parser.add_argument(
        "--tolerance",
        metavar="PART",
        type=Ratio.parse,
        default=Ratio.parse("3 %"),
        help="the part of a value up to which a change is none (default: 3 %%)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, all values included")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    folders = evidence_of(options.before), evidence_of(options.after)
    before, after = map(read_consistent, folders)
    for folder, records in zip((options.before, options.after), (before, after), strict=True):
        _check_ended(folder, records)
    found = compare(before, after, options.tolerance)
    testbeds = list(_other_testbeds(before, after))
    settings = [*_other_profiles(before, after), *_other_durations(*folders)]
    if options.json:
        runs = {
            "before": _run(before),
            "after": _run(after),
            "tolerance": float(options.tolerance.value),
            "differing_testbeds": testbeds,
            "differing_settings": settings,
        }
        print(json.dumps({**runs, "values": [each.record() for each in found]}, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(before, after, [*testbeds, *settings], found)))
    return status(found)


def _check_ended(folder: Path, records: Records) -> None:
    """TesterLibraryError for verdicts of tests that have no record of their end: such tests are ERROR."""
    ended = {(test.suite, test.test) for test in records.tests}
    places = ((verdict.place.suite, verdict.place.test) for verdict in records.verdicts if verdict.place.test)
    missing = [name for suite, name in dict.fromkeys(places) if (suite, name) not in ended]
    if missing:
        raise TesterLibraryError(
            f"{folder}: {counted(len(missing), 'test')} with verdicts, such as {missing[0]!r}, never ended; "
            "'tester report' says what the run lacks"
        )


def _run(records: Records) -> dict[str, object]:
    devices = {tester["testbed"]["name"]: tester["testbed"]["dut"] for tester in records.run["testers"]}
    return {"id": records.run["id"], "started_at": records.run["started_at"], "devices": devices}


def _lines(
    before: Records, after: Records, differences: Sequence[str], found: Sequence[Comparison]
) -> Iterator[str]:
    for name, records in (("before", before), ("after", after)):
        testers = records.run["testers"]
        devices = (
            f"{t['testbed']['name']} {t['testbed']['dut'].get('version', '')}".strip() for t in testers
        )
        yield f"{name:<7} {records.run['started_at']}  {', '.join(devices)}"
    yield from (f"{'differs':<7} {text}" for text in differences)
    yield ""
    suites = short_names(tuple(dict.fromkeys(each.suite for each in found)))
    short = dict(zip(dict.fromkeys(each.suite for each in found), suites, strict=True))
    for each in found:
        if each.change is not Change.SAME:
            yield f"{each.change.value:<13} {short[each.suite]} · {each.test}: {_said(each)}"
    counts = {change: sum(each.change is change for each in found) for change in Change}
    yield "\n" + (
        ", ".join(f"{count} {change.value}" for change, count in counts.items() if count) or "no values"
    )


def _other_testbeds(before: Records, after: Records) -> Iterator[str]:
    """How testbeds that have one name differ: then a change of a value may be one of the testbed."""
    runs = (before.run, after.run)
    sides = [{tester["testbed"]["name"]: tester["testbed"] for tester in run["testers"]} for run in runs]
    digests = [
        {file["testbed"]: file["sha256"] for file in run.get("files", ()) if file["kind"] == "testbed"}
        for run in runs
    ]
    for name in sorted(sides[0].keys() & sides[1].keys()):
        was, now = ({port["name"]: port["speed"]["bps"] for port in side[name]["ports"]} for side in sides)
        ports = [
            f"port {port} has {_speed(now.get(port))}, {_speed(was.get(port))} before"
            for port in dict.fromkeys((*was, *now))
            if was.get(port) != now.get(port)
        ]
        other = len({found.get(name, "") for found in digests} - {""}) > 1
        if ports or other:
            told = "; ".join(ports) or "its file has another content"
            yield f"the testbed {name} is not the same: {told}"


def _other_profiles(before: Records, after: Records) -> Iterator[str]:
    """Testbeds that were measured with another profile: values of short and long trials are not alike."""
    sides = [
        {tester["testbed"]["name"]: str(tester.get("profile", "")) for tester in records.run["testers"]}
        for records in (before, after)
    ]
    for name in sorted(sides[0].keys() & sides[1].keys()):
        was, now = (side[name] or "none" for side in sides)
        if was != now:
            yield f"the profile of {name} is {now}, {was} before"


def _other_durations(before: Path, after: Path) -> Iterator[str]:
    """How many tests had trials of another length, and the one that differs most."""
    was, now = read_longest_trials(before), read_longest_trials(after)
    factors = {
        place: max(was[place], now[place]) / max(1, min(was[place], now[place]))
        for place in was.keys() & now.keys()
    }
    others = sorted(
        (place for place in factors if factors[place] > _SAME_LENGTH), key=lambda p: (-factors[p], p)
    )
    if others:
        _, suite, test = others[0]
        lengths = f"{duration_text(now[others[0]])}, {duration_text(was[others[0]])} before"
        yield (
            f"the longest trial of {counted(len(others), 'test')} has another length: {suite} · {test} "
            f"{lengths}"
        )


def _speed(bps: int | None) -> str:
    return "none" if bps is None else str(Bandwidth(bps))


def _said(each: Comparison) -> str:
    """The line about a value: `throughput of north is 93 %, 95 % before (-2.11 %)`."""
    if each.before is None or each.after is None or each.change is Change.NOT_COMPARED:
        return f"{each.subject}: {each.reason}"
    measured, was = each.after.measured, f", {each.before.measured} before"
    grew = "" if each.part is None else percent(each.part, 2, "+")
    notes = "; ".join(note for note in (grew, each.reason) if note)
    return f"{each.subject} is {measured}{was}" + (f" ({notes})" if notes else "")
