# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A job that needs no testbed: what a job file says, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .job import Job
from .pattern import Stage
from .ports import Port


@dataclass(frozen=True)
class JobFile:
    """A job, the ports it is for, and the patterns of its streams by name."""

    source: Path
    job: Job
    ports: Mapping[str, Port]
    gateways: Mapping[str, bytes]  # stand-ins: whoever plans without a network knows no MAC address
    patterns: Mapping[str, tuple[Stage, ...]] = field(default_factory=dict)
