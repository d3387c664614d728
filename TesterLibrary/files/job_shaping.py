# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of departures in job files; `resources/jobs/shapes.yaml` explains the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import PlanError
from ..model.departures import (
    MOST_MESSAGES,
    CaptureReplay,
    Messages,
    PacketTrain,
    Shape,
    Shaping,
    TimePattern,
)
from ..model.pattern import Pattern, Stage, pattern
from ..model.units.units import Duration, FrameSize, Rate, Ratio
from .shaping_text import ArrivalLaw, arrivals, rewrite

_Parsers = Mapping[str, Callable[[Any], Any]]


def _values(data: Mapping[str, Any], parsers: _Parsers) -> dict[str, Any]:
    return {key: parsers.get(key, lambda value: value)(value) for key, value in data.items()}


def _burst(data: Mapping[str, Any]) -> Shaping:
    return pattern(packets=data["packets"], peak=data["peak"])


def _stages(data: list[Mapping[str, int]]) -> Shaping:
    return Pattern(tuple(Stage(stage["pass"], stage["skip"]) for stage in data))


def _time_pattern(data: Mapping[str, Any]) -> Shaping:
    parts = dict.fromkeys(("duty", "rise", "hold", "fall"), Ratio.parse)
    rates = dict.fromkeys(("low", "high"), Rate.parse)
    return TimePattern(**_values(data, {"shape": Shape, "period": Duration.parse, **rates, **parts}))


def _arrivals(data: Mapping[str, Any]) -> Shaping | None:
    parsers = {"law": ArrivalLaw, "spread": Ratio.parse, "on": Duration.parse, "off": Duration.parse}
    return arrivals(**_values(data, {**parsers, "values": lambda texts: [str(text) for text in texts]}))


def _messages(data: Mapping[str, Any]) -> Shaping:
    names = {"interval": "pause", "packet_interval": "gap"}
    parsers = {"interval": Duration.parse, "packet_interval": Duration.parse, "frame_size": FrameSize.parse}
    if sum(item.get("count", 1) for item in data["list"]) > MOST_MESSAGES:
        raise PlanError(f"more than {MOST_MESSAGES:,} messages; that is the most")
    messages: list[PacketTrain] = []
    for item in data["list"]:
        values = _values({key: value for key, value in item.items() if key != "count"}, parsers)
        message = PacketTrain(**{names.get(key, key): value for key, value in values.items()})
        messages += [message] * item.get("count", 1)
    return Messages(tuple(messages), data.get("repeat", True))


def _replay(data: Mapping[str, Any]) -> Shaping:
    try:
        scale = None if data.get("gaps") == "even" else float(data.get("scale", 1))
    except ValueError:
        raise PlanError(f"scale: {data['scale']!r} is no number; give one such as 0.5") from None
    return CaptureReplay(
        path=data["file"],
        scale=scale,
        repetitions=data.get("repetitions", 1),
        rewrites=tuple(map(rewrite, data.get("rewrites", ()))),
        next_hop=data.get("next_hop", True),
    )


# By the key of a stream. Each raises a TesterLibraryError for what the schema cannot see.
SHAPINGS: Mapping[str, Callable[[Any], Shaping | None]] = {
    "burst": _burst,
    "stages": _stages,
    "time_pattern": _time_pattern,
    "arrivals": _arrivals,
    "messages": _messages,
    "replay": _replay,
}
