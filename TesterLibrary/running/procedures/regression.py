# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Judges a value of the running test beside that of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TesterLibraryError
from ...methodology.regression import is_comparison, no_regression
from ...model.units.units import Ratio
from ...reporting.pages.repetitions import unrepeated
from ...reporting.record.recorder import read_run
from ...verdict import Verdict
from ..suite import Suite


def beside_baseline(suite: Suite, verdict: Verdict | None, baseline: str, within: Ratio) -> Verdict:
    """A verdict of this test, or its last one, beside the same value of an earlier run or a database.

    Raises:
        TesterLibraryError: nothing was judged in this test, or there is no such baseline.
    """
    from ...reporting.trend.baseline import (  # pages and plots: not while a suite is imported
        Sought,
        find_baseline,
    )

    recorder = suite.recorder
    standing = [known for known in recorder.judgements.standing if not is_comparison(known)]
    judged = verdict or (standing[-1] if standing else None)
    if judged is None:
        raise TesterLibraryError("nothing was judged in this test yet; call Verify … for the value first")
    run = read_run(recorder.directory)
    place = recorder.place
    opened: Mapping[str, Any] = next((t for t in run["testers"] if t["testbed"]["name"] == place.testbed), {})
    same = [known for known in standing if known.subject == judged.subject]
    # By identity: two values of a test may be equal, and those of the baseline are not.
    number = next((number for number, known in enumerate(same, 1) if known is judged), 1)
    durations = [trial.duration_ns for trial in recorder.trials]
    sought = Sought(
        testbed=place.testbed,
        device_kind=str((opened.get("testbed", {}).get("dut") or {}).get("kind", "")),
        profile=str((run.get("profile") or {}).get("name", "") or opened.get("profile", "")),
        suite=unrepeated(run, place.testbed, place.suite),
        name=recorder.suite_name,
        test=place.test,
        judged=judged,
        number=number,
        run=str(run["id"]),
        longest_ns=max(durations, default=None),
    )
    found, doubt = find_baseline(baseline, sought)
    return no_regression(judged, found, within, doubt=doubt)
