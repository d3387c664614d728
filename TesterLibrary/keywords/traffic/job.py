# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for job files, which describe streams in YAML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from robot.api.deco import keyword

from ...errors import PlanError
from ...files.job import load_job
from ...model.units.units import Duration, Ratio
from ...running.suite import Suite
from .._component import component


@dataclass(frozen=True)
class CreatedJob:
    """A job file whose streams have been created."""

    name: str
    streams: tuple[str, ...]  # their names
    duration: Duration | None
    loss: Ratio | None
    ends: bool  # whether all of them end by themselves


@component
class Jobs:
    """Streams that a job file describes."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def create_job(self, file: str) -> CreatedJob:
        """Describes the streams of a job file, as `Create Stream` does for one stream. Nothing is sent.

        | =Argument= | =Meaning= |
        | ``file`` | the path of a job file, or the name of a shipped one, such as ``steady`` |

        The file has to use the names of the testbed's ports; other data about ports is for ``tester plan``. A
        file with responders or clients is refused.

        Returns the job. Attributes: ``name``, ``streams`` (their names), ``duration`` and ``loss`` (as the
        file has them, or None), ``ends`` (whether all streams end by themselves, as `Send Traffic` needs).

        | ${job} = | `Create Job` | bursts.yaml |
        | `Measure Loss` | duration=${job.duration} |
        """
        job = load_job(file)
        if job.job.ends:
            raise PlanError(
                f"{Path(job.source).name} has responders or clients ({job.job.ends[0].name}), which start in "
                "suites only: use Start Protocol Responder and Start Protocol Clients, or a file with streams"
            )
        plan = self._suite.put_together(job.job.streams)
        return CreatedJob(
            name=job.job.name,
            streams=tuple(stream.name for stream in job.job.streams),
            duration=job.duration,
            loss=job.most_loss,
            ends=not any(stream.departures.endless for stream in plan.streams),
        )
