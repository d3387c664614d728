# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiles: for how long, and how often, keywords measure where a suite does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model.units import Duration
from .paths import resource
from .settings import read_settings

_SHORTEST = "quick"  # its values are used for sections that a profile leaves out


def section(given: Mapping[str, Any], name: str) -> Any:
    """A section of a profile's settings; that of the shortest shipped profile where they leave it out."""
    if name in given:
        return given[name]
    return read_settings(resource("criteria/profiles", _SHORTEST), "profile")[name]


@dataclass(frozen=True)
class Profile:
    """Durations and repetitions of one profile: `quick`, `full` or a file."""

    name: str
    trial: Duration  # of a single trial: Measure Loss, Measure Outage and the like
    throughput: Duration  # of the trials that a throughput rests on
    scout: Duration  # of the trials before those
    latency: Duration  # of each repetition
    repetitions: int  # of a measurement of latency
    frame_loss: Duration  # of each load of a sweep


def load_profile(name_or_path: str) -> Profile:
    """Reads a shipped profile by its name, or a file by its path.

    Raises:
        TesterLibraryError: it is not there, or a value is wrong.
    """
    given = read_settings(resource("criteria/profiles", name_or_path), "profile")

    def value(name: str, key: str) -> Any:
        return section(given, name)[key]

    return Profile(
        name=given["name"],
        trial=Duration.parse(value("trial", "duration")),
        throughput=Duration.parse(value("throughput", "duration")),
        scout=Duration.parse(value("throughput", "scout")),
        latency=Duration.parse(value("latency", "duration")),
        repetitions=value("latency", "repetitions"),
        frame_loss=Duration.parse(value("frame_loss", "duration")),
    )
