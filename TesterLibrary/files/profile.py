# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiles: for how long, and how often, keywords measure where a suite does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TesterLibraryError
from ..model.units.units import Duration, Ratio
from .document import Kind, load_document
from .paths import resource

_KIND = Kind("profile", TesterLibraryError, is_variable_file=True)
_SHORTEST = "quick"  # its values are used for sections that a profile leaves out


def profile_values(path: Path) -> Mapping[str, Any]:
    """The content of a profile. TesterLibraryError names file, line, key and what is allowed there."""
    values: Mapping[str, Any] = load_document(path, _KIND).data["PROFILE"]
    return values


def section(given: Mapping[str, Any], name: str) -> Any:
    """A section of a profile's settings; that of the shortest shipped profile where they leave it out."""
    if name in given:
        return given[name]
    return profile_values(resource("criteria/profiles", _SHORTEST))[name]


@dataclass(frozen=True)
class Profile:
    """Durations and repetitions of one profile: `quick`, `full` or a file."""

    name: str
    trial: Duration  # of a single trial: Measure Loss, Measure Outage and the like
    trial_learning: Duration  # pause after the learning frames of each trial
    trial_rest: Duration  # pause after each trial
    trial_residual: Duration  # for frames on their way, after each trial that counts
    stability: Ratio  # of line rate: the load of the trial before a search; 0 for none
    throughput: Duration  # of the trials that a throughput rests on
    scout: Duration  # of the trials before those
    latency: Duration  # of each repetition
    repetitions: int  # of a measurement of latency
    frame_loss: Duration  # of each load of a sweep
    search: Duration  # of the trials of a throughput that another procedure needs first
    search_scout: Duration  # of the trials before those
    search_rest: Duration  # after those that lost frames
    search_resolution: Ratio
    search_lowest: Ratio
    bursts: int  # repetitions of a search of the longest burst
    rest: Duration  # after each burst
    burst_resolution: Ratio
    overload: Duration  # of a system recovery
    relief: Duration  # after the overload
    recoveries: int  # repetitions of a system recovery
    reset_part: Ratio  # of the throughput, that is sent while the device is reset
    steady: Duration  # without a break after a reset: the device is back
    reset_limit: Duration  # after which a device that was reset is given up
    resets: int  # repetitions of a reset
    mlr_loss: Ratio  # goal loss ratio of the PDR; the other attributes of search goals follow
    mlr_exceed: Ratio
    mlr_initial: Duration
    mlr_final: Duration
    mlr_sum: Duration
    mlr_width: Ratio
    mlr_lowest: Ratio  # of line rate, where such a search gives up
    activation_step: Duration  # of each trial of a service's configuration
    activation: Duration  # of the trial of the performance of services


def load_profile(name_or_path: str) -> Profile:
    """Reads a shipped profile by its name, or a file by its path.

    Raises:
        TesterLibraryError: it is not there, or a value is wrong.
    """
    given = profile_values(resource("criteria/profiles", name_or_path))

    def value(name: str, key: str) -> Any:
        return section(given, name)[key]

    return Profile(
        name=given["name"],
        trial=Duration.parse(value("trial", "duration")),
        trial_learning=Duration.parse(section(given, "trial").get("learning", "0 s")),
        trial_rest=Duration.parse(section(given, "trial").get("rest", "0 s")),
        trial_residual=Duration.parse(section(given, "trial").get("residual", "0 s")),
        stability=Ratio.parse(value("stability", "load")),
        throughput=Duration.parse(value("throughput", "duration")),
        scout=Duration.parse(value("throughput", "scout")),
        latency=Duration.parse(value("latency", "duration")),
        repetitions=value("latency", "repetitions"),
        frame_loss=Duration.parse(value("frame_loss", "duration")),
        search=Duration.parse(value("prerequisite", "duration")),
        search_scout=Duration.parse(value("prerequisite", "scout")),
        search_rest=Duration.parse(value("prerequisite", "rest")),
        search_resolution=Ratio.parse(value("prerequisite", "resolution")),
        search_lowest=Ratio.parse(value("prerequisite", "lowest")),
        bursts=value("back_to_back", "repetitions"),
        rest=Duration.parse(value("back_to_back", "rest")),
        burst_resolution=Ratio.parse(value("back_to_back", "resolution")),
        overload=Duration.parse(value("system_recovery", "overload")),
        relief=Duration.parse(value("system_recovery", "relief")),
        recoveries=value("system_recovery", "repetitions"),
        reset_part=Ratio.parse(value("reset", "part")),
        steady=Duration.parse(value("reset", "steady")),
        reset_limit=Duration.parse(value("reset", "limit")),
        resets=value("reset", "repetitions"),
        mlr_loss=Ratio.parse(value("mlrsearch", "pdr")),
        mlr_exceed=Ratio.parse(value("mlrsearch", "exceed")),
        mlr_initial=Duration.parse(value("mlrsearch", "initial")),
        mlr_final=Duration.parse(value("mlrsearch", "final")),
        mlr_sum=Duration.parse(value("mlrsearch", "duration_sum")),
        mlr_width=Ratio.parse(value("mlrsearch", "width")),
        mlr_lowest=Ratio.parse(value("mlrsearch", "lowest")),
        activation_step=Duration.parse(value("service_activation", "step")),
        activation=Duration.parse(value("service_activation", "performance")),
    )
