# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a run for Allure beside Robot's results: outcomes, parameters, environment, executor, values.

Robot's results stay as they are: the files that Allure reads are made of them, in a folder of their own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timezone
from pathlib import Path
from typing import Any

from ...model.units.magnitude import SHARE, TIME
from ..pages.repetitions import unrepeated
from ..pages.run_attributes import attributes
from ..record.durable import write_file, write_json
from ..record.long_name import short_names_of
from ..record.outcome import ERROR, FAIL, INCONCLUSIVE, NOT_JUDGED, PASS
from ..record.recorder import TESTBED_FAULT
from ..record.records import Records, TestRecord
from ..record.resumed_parts import taken_over
from ..trend.figure import Figure, run_of

_LABEL = "outcome"
_FAULT = "TESTBED FAULT"
_STATUSES = {PASS: "passed", FAIL: "failed", INCONCLUSIVE: "skipped", ERROR: "broken", NOT_JUDGED: "unknown"}
_CATEGORIES = {
    FAIL: "DUT out of bounds",
    INCONCLUSIVE: "Tester limited (INCONCLUSIVE)",
    _FAULT: "Testbed fault",
    ERROR: "Suite mistake",
    NOT_JUDGED: "Nothing was judged",
}
_SEVERITY = re.compile(r"severity:(blocker|critical|normal|minor|trivial)")
_UNITS = {SHARE: ("%", 100.0), TIME: ("us", 1e-3), "bps": ("Mbps", 1e-6)}  # of charts, with the factor


def write(results: Path, target: Path, records: Records) -> None:
    """Makes the folder that Allure reads from that of Robot's results."""
    target.mkdir(parents=True)
    tests = {f"{test.suite}.{test.test}": test for test in records.tests}
    for path in sorted(results.iterdir()):
        if not path.is_file():
            continue
        if path.name.endswith("-result.json"):
            result = json.loads(path.read_text(encoding="utf-8"))
            if test := tests.get(str(result.get("fullName"))):
                result = _told(result, test, records)
            write_json(target / path.name, result)
        else:
            _linked(path, target / path.name)
    run = records.run
    about = {**attributes(run, run.get("testers", ())), **(run.get("versions") or {})}
    lines = (f"{name}={' '.join(str(value).split())}\n" for name, value in about.items())
    write_file(target / "environment.properties", "".join(lines))
    service = run.get("executor") or {"type": "local", "name": "command line"}
    facts = {"type": service.get("type"), "name": service.get("name") or service.get("type")}
    facts |= {"buildName": service.get("build", ""), "buildUrl": service.get("url", "")}
    write_json(target / "executor.json", {k: v for k, v in facts.items() if v})
    write_json(target / "performance.json", [value.sample for value in _values(records)])


def configuration(records: Records) -> dict[str, Any]:
    """The categories of what did not pass, and titles and units of values."""
    values = tuple(_values(records))
    groups = dict.fromkeys(value.group for value in values)
    return {
        "categories": {
            "rules": [
                {"id": outcome.lower(), "name": name, "matchers": {"labels": {_LABEL: f"^{outcome}$"}}}
                for outcome, name in _CATEGORIES.items()
            ]
        },
        "performance": {
            "groups": {group: {"title": group} for group in groups},
            "metrics": {value.key: value.described for value in values},
        },
    }


@dataclass(frozen=True)
class _Value:
    """A number that a verdict of a fit tester judged."""

    figure: Figure

    @property
    def key(self) -> str:
        """The same in each run."""
        key = self.figure.key
        return " / ".join((key.testbed, key.suite, key.test, key.subject, str(key.number), key.unit))

    @property
    def group(self) -> str:
        """Where it is charted: beside the others of its suite."""
        key = self.figure.key
        return ": ".join(filter(None, (key.testbed, short_names_of(key.suite)[-1])))

    @property
    def sample(self) -> Mapping[str, Any]:
        """The value, as Allure reads it."""
        point = self.figure.point
        at = round(point.at.replace(tzinfo=timezone.utc).timestamp() * 1000)
        value = (point.value or 0.0) * _scale(self.figure)[1]
        return {"id": self.key, "key": self.key, "value": value, "start": at, "stop": at}

    @property
    def described(self) -> Mapping[str, str]:
        """Title, unit, and which side is better."""
        key = self.figure.key
        which = f" ({key.number})" if key.number > 1 else ""
        better = "lower" if self.figure.higher_is_better is False else "higher"
        title = f"{key.test}: {key.subject}{which}"
        return {"title": title, "unit": _scale(self.figure)[0], "better": better, "group": self.group}


def _scale(figure: Figure) -> tuple[str, float]:
    return _UNITS.get(figure.key.unit, (figure.key.unit, 1.0))


def _values(records: Records) -> Iterator[_Value]:
    for figure in run_of(records).figures:
        if figure.point.fit:
            yield _Value(figure)


def _told(result: Mapping[str, Any], test: TestRecord, records: Records) -> Mapping[str, Any]:
    """The result of a test with its outcome, severity and parameters."""
    outcome = test.outcome
    faults = (str(e.facts.get("reason", "")) for e in records.events if e.event == TESTBED_FAULT)
    if outcome == ERROR and any(fault and fault in test.message for fault in faults):
        outcome = _FAULT
    labels = [label for label in result.get("labels", ()) if label.get("name") not in (_LABEL, "severity")]
    tags = [str(label.get("value")) for label in labels if label.get("name") == "tag"]
    severity = next((found[1] for tag in tags if (found := _SEVERITY.fullmatch(tag))), "normal")
    labels += [{"name": _LABEL, "value": outcome}, {"name": "severity", "value": severity}]
    parameters = {parameter["name"]: parameter for parameter in _parameters(test, records)}
    details = {**(result.get("statusDetails") or {}), **({"message": test.message} if test.message else {})}
    return {
        **result,
        "status": _STATUSES.get(test.outcome, "unknown"),
        "statusDetails": details if test.outcome != PASS else result.get("statusDetails", {}),
        "labels": labels,
        "parameters": [
            *(known for known in result.get("parameters", ()) if known.get("name") not in parameters),
            *parameters.values(),
        ],
    }


def _parameters(test: TestRecord, records: Records) -> Iterator[Mapping[str, Any]]:
    """Testbed, frame sizes and offered loads of the trials of a test, and what deviates from a standard."""
    trials = [
        record.trial
        for record in records.trials
        if (record.place.suite, record.place.test) == (test.suite, test.test)
    ]
    sizes = dict.fromkeys(stream.size_text for trial in trials for stream in trial.streams)
    loads = sorted({trial.load for trial in trials})
    ends = dict.fromkeys(f"{float(load) * 100:.4g} %" for load in (loads[:1] + loads[-1:]))
    results = (record.result for record in records.results if record.place == test.place)
    deviations = (text for result in results for text in result.shortened)
    values = {
        "testbed": test.testbed,
        "suite": unrepeated(records.run, test.testbed, test.suite),
        "size": _listed(sizes, " bytes"),
        "rate": " to ".join(ends) + (" of line rate" if ends else ""),
        "taken over": taken_over(records, test.place),
        "deviations": "; ".join(dict.fromkeys(deviations)),
    }
    for name, value in values.items():
        if value:
            yield {"name": name, "value": value, "excluded": True}  # from what tells a test in the history


def _listed(values: Iterable[str], unit: str) -> str:
    known = list(values)
    return f"{', '.join(known[:8])}{' …' if len(known) > 8 else ''}{unit}" if known else ""


def _linked(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(path, target)
