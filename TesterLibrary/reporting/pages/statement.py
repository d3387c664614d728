# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The certificate for programs, `certificate.json`: what was required, what was found, and by whom.

It is made from the records alone, so the same records always give the same bytes, and has the SHA-256 of
each of their files. That is what is signed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..record import device_answers as device_said
from ..record import earlier_runs
from ..record.codec import encode
from ..record.outcome import overall
from ..record.records import Records, TestRecord, VerdictRecord
from ..record.resumed_parts import taken_over
from . import demonstration
from .certificate import certified_findings, ended_at, testbed_of, testbeds_of
from .offered_traffic import OfferedTraffic, by_test
from .run_attributes import choice

FILE = "certificate.json"
SCHEMA = 1


def statement(records: Records, files: Mapping[str, str]) -> str:
    """The certificate as JSON text.

    Args:
        records: of the run.
        files: The SHA-256 of each file that it rests on, by the file's path from the folder of the run.
    """
    return json.dumps(_content(records, files), indent=2, ensure_ascii=False) + "\n"


def _content(records: Records, files: Mapping[str, str]) -> dict[str, Any]:
    run, outcomes = records.run, records.outcomes()
    return {
        "kind": "certificate",
        "schema": SCHEMA,
        "title": records.agenda.title if records.agenda else "Test run",
        "certifies": bool(run["testers"]) and not demonstration.of_run(run),
        "run": run["id"],
        "started_at": run["started_at"],
        "ended_at": ended_at(records),
        "outcome": overall(outcomes),
        "counts": {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(sorted(outcomes))},
        "profile": run.get("profile"),
        **({"choice": chosen} if (chosen := choice(run)) else {}),
        **({"earlier_runs": earlier} if (earlier := run.get(earlier_runs.KEY)) else {}),
        "versions": run["versions"],
        "machine": run["machine"],
        "testbeds": list(_testbeds(records)),
        "outside_tests": [_requirement(found) for found in records.outside_tests],
        "not_run": list(_not_run(records)),
        "cut": list(records.cut),
        **({"faults": list(records.faults)} if records.faults else {}),
        "files": dict(files),
    }


def _testbeds(records: Records) -> Iterator[dict[str, Any]]:
    testers = {tester["testbed"]["name"]: tester for tester in records.run["testers"]}
    criteria = records.run.get("criteria") or {}
    traffic = by_test(records)
    for name in testbeds_of(records):
        opened = testers.get(name, {})
        trials = [record for record in records.trials if record.place.testbed == name]
        results = [record for record in records.results if record.place.testbed == name]
        described = dict(opened.get("testbed", {}))
        yield {
            "name": name,
            "demonstration": opened.get("demonstration", ""),
            "device": described.pop("dut", None),
            "device_said": encode(device_said.answers_of(records.events, name)),
            "testbed": described,
            "tester": opened.get("tester"),
            "calibration": opened.get("calibration"),
            "criteria": criteria.get(name),
            "profile": opened.get("profile", ""),
            "seed": opened.get("seed"),
            "seeds_of_trials": sorted({r.seed for r in trials if r.seed is not None}),
            "trials": len(trials),
            "invalid_trials": sum(not record.trial.valid for record in trials),
            "notes": list(opened.get("notes", ())),
            "tests": [
                _test(records, test, traffic.get((test.suite, test.test)))
                for test in records.tests
                if testbed_of(records, test) == name
            ],
            "results": [
                {"place": found.place, "text": found.text, "deviations": list(found.caveats)}
                for found in certified_findings(results)
            ],
        }


def _test(records: Records, test: TestRecord, traffic: OfferedTraffic | None) -> dict[str, Any]:
    place = (test.suite, test.test)
    judged = (r for r in records.verdicts if (r.place.suite, r.place.test) == place and not r.caught_by)
    return {
        "suite": test.suite,
        "test": test.test,
        "outcome": test.outcome,
        "said": test.said,
        "started_at": test.started_at,
        "taken_over": taken_over(records, test.place),
        **({"earlier_attempts": attempts} if (attempts := list(_attempts(records, test))) else {}),
        **({"traffic": str(traffic)} if traffic else {}),
        "requirements": [_requirement(record) for record in judged],
    }


def _attempts(records: Records, test: TestRecord) -> Iterator[dict[str, str]]:
    for event in records.earlier_attempts(test):
        yield {
            key: str(event.facts.get(name, ""))
            for key, name in (("outcome", "outcome"), ("said", "message"), ("started_at", "started_at"))
        }


def _requirement(record: VerdictRecord) -> dict[str, Any]:
    found = {"suite": record.place.suite} if not record.place.test else {}
    return {**found, **encode(record.verdict)}


def _not_run(records: Records) -> Iterator[dict[str, str]]:
    for event in records.left_out:
        yield {"suite": event.place.suite, "test": event.place.test, "reason": str(event.facts["reason"])}
    for suite, tests in records.not_run.items():
        why = ": ".join(filter(None, ("there is no record of it", records.why_not_run(suite))))
        for test in tests:
            yield {"suite": suite, "test": test, "reason": why}
