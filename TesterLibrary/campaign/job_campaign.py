# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job file as something to be run: the campaign of the shipped suite that sends its streams."""

from __future__ import annotations

from pathlib import Path

from ..errors import PlanError
from ..files.document import Kind, read_document
from ..files.job import load_job
from ..files.paths import suite_root
from ..model.units.units import Duration
from .campaign_file import Campaign

SUITE = "job/streams.robot"


def job_campaign(path: Path, testbed: str | None, duration: Duration | None) -> Campaign:
    """The campaign that runs a job file on one testbed, in place of that of the file if one is given.

    PlanError says what is wrong: file, line, key, what is allowed.
    """
    job = load_job(str(path.absolute()))
    document = read_document(path, Kind("job", PlanError))
    on = testbed or job.testbed
    if on is None:
        raise document.error(("testbed",), "is missing; name the testbed here, or by --testbed")
    if job.job.ends:
        problem = (
            f"tester run sends streams; {job.job.ends[0].name} is started by a suite only, so leave it out"
        )
        raise document.error(("clients" if "clients" in document.data else "responders",), problem)
    near = path.absolute().parent / Path(on).expanduser()
    return Campaign(
        document=document,
        profile="quick",
        title=job.job.name,
        suites=(suite_root() / SUITE,),
        testbeds=(str(near) if testbed is None and near.is_file() else on,),
        criteria=None,
        repetitions=1,
        variables={"JOB_FILE": str(path.absolute()), **({"DURATION": str(duration)} if duration else {})},
        include=(),
        exclude=(),
        tests=(),
        sizes=(),
        time_budget=None,
        output=None,
        database=None,
        key=None,
    )
