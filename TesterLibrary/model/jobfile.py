# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job that needs no testbed: what a job file says, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .job import Job
from .ports import Port
from .units.units import Duration, Ratio


@dataclass(frozen=True)
class JobFile:
    """A job, and the ports it is for."""

    source: Path
    job: Job
    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]  # stand-ins, as planning without a network knows no MAC addresses
    testbed: str | None = None  # on which `tester run` runs it
    duration: Duration | None = None  # for how long; None: as the profile says
    most_loss: Ratio | None = None  # the bound of its frame loss; None: it is not judged
