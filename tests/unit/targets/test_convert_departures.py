# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest
from google.protobuf.json_format import MessageToDict

from TesterLibrary.model.pattern import Stage
from TesterLibrary.model.plan.law import (
    Departures,
    Law,
    Profile,
    Replay,
    Rewrite,
    Script,
    ScriptMessage,
    Steady,
    Stretch,
)
from TesterLibrary.model.plan.random_law import Exponential, OnOff, Quantiles, Random
from TesterLibrary.targets.engine.convert_departures import departures_message

WORD = 2**64 - 1


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (
            Steady(Fraction(2**63, WORD), (Stage(4, 6),)),
            {
                "steady": {
                    "tick": {"packets": str(2**63), "nanoseconds": str(WORD)},
                    "stages": [{"passes": "4", "skips": "6"}],
                }
            },
        ),
        (
            Profile((Stretch(7, 3),)),
            {"profile": {"stretches": [{"duration_ns": "7", "packets": "3"}], "repeat": True}},
        ),
        (
            Random(WORD, Exponential(2.5)),
            {"random": {"seed": str(WORD), "exponential_mean_ns": 2.5}},
        ),
        (
            Random(1, Quantiles((0.0, 1.0), (5.0, 6.5))),
            {"random": {"seed": "1", "quantiles": {"probabilities": [0.0, 1.0], "gaps_ns": [5.0, 6.5]}}},
        ),
        (
            Random(1, OnOff(Fraction(1, 9), 5.0, 6.0)),
            {
                "random": {
                    "seed": "1",
                    "on_off": {
                        "rate": {"packets": "1", "nanoseconds": "9"},
                        "on_mean_ns": 5.0,
                        "off_mean_ns": 6.0,
                    },
                }
            },
        ),
        (
            Script((ScriptMessage(1, 2, 3, 4),), repeat=False),
            {"script": {"messages": [{"pause_ns": "1", "packets": "2", "gap_ns": "3", "frame": 4}]}},
        ),
        (
            Replay("x.pcap", 0.5, None, 3, (Rewrite(b"", b"\1" * 6),)),
            {
                "replay": {
                    "path": "x.pcap",
                    "scale": 0.5,
                    "repetitions": "3",
                    "rewrites": [{"replacement": "AQEBAQEB"}],
                }
            },
        ),
        (
            Replay("x.pcap", None, Fraction(1, 50), 1, (Rewrite(b"\1" * 4, b"\2" * 4),)),
            {
                "replay": {
                    "path": "x.pcap",
                    "rate": {"packets": "1", "nanoseconds": "50"},
                    "repetitions": "1",
                    "rewrites": [{"address": "AQEBAQ==", "replacement": "AgICAg=="}],
                }
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_of_a_law_is_lost(law: Law, message: dict[str, object]) -> None:
    sent = departures_message(Departures(law, 12))
    assert MessageToDict(sent, preserving_proto_field_name=True) == {"offset_ns": "12", **message}
