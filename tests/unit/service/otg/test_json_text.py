# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON from a client: whatever it is, it becomes a message, or one refusal with all that is wrong."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.service.otg.configuration import settings_of
from TesterLibrary.service.otg.json_text import parsed, plain
from TesterLibrary.service.otg.refusal import OtgError

from ....examples import examples
from .bench import laboratory
from .configs import config, configs, flow


def refused(document: Any, name: str = "Config") -> tuple[str, ...]:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(OtgError) as caught:
        parsed(name, body)
    return caught.value.errors


def test_all_that_is_wrong_is_told_with_its_path() -> None:
    wrong = {"flows": [{"nme": 1, "rate": {"pps": -1, "choice": "warp"}}, 7], "ports": {}, "zeal": 1}
    errors = refused(wrong)
    assert [error.partition(":")[0] for error in errors] == [
        "flows[0].nme",
        "flows[0].rate.pps",
        "flows[0].rate.choice",
        "flows[1]",
        "ports",
        "zeal",
    ]
    assert "'warp' is not one of pps, bps, kbps, mbps, gbps, percentage" in errors[2]
    assert "allowed are" in errors[0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "no object"),
        (b"\xff", "no JSON"),
        (b'{"ports": NaN}', "no number"),
        (b"[" * 100_000, "no JSON"),
        (b'{"flows": [], "flows": []}', "more than once"),
        (b'{"ports": [{"name": "\\ud800"}]}', "surrogate"),
        (b'{"flows": [{"rate": {"percentage": 1e999}}]}', "no number"),
        (b'{"flows": [{"rate": {"pps": 1' + b"0" * 5000 + b"}}]}", "no JSON"),
        (b'{"flows": [{"rate": {"pps": true}}]}', "whole number"),
    ],
)
def test_what_is_no_configuration(body: bytes, said: str) -> None:
    assert any(said in error for error in refused(body))


def test_numbers_of_64_bits_may_be_text() -> None:
    message = parsed("Config", b'{"flows": [{"rate": {"pps": "12345678901"}}, {"rate": {"pps": 3.0}}]}')
    assert [each.rate.pps for each in message.flows] == [12345678901, 3]


def test_null_says_nothing() -> None:
    assert plain(parsed("Config", b'{"flows": null}')) == {}


def test_a_message_is_the_same_after_its_way_through_json() -> None:
    for document in configs():
        message = parsed("Config", json.dumps(document).encode())
        assert parsed("Config", json.dumps(plain(message)).encode()) == message


_WORDS = st.sampled_from(
    [
        "flows",
        "ports",
        "name",
        "rate",
        "pps",
        "size",
        "fixed",
        "choice",
        "packet",
        "ethernet",
        "ipv4",
        "src",
        "value",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_WORDS | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def _understood(body: bytes) -> None:
    """Neither crashes nor hangs: settings, or one refusal that says something."""
    try:
        settings_of(parsed("Config", body), laboratory(), {})
    except OtgError as refusal:
        told = refusal.errors
    else:
        told = ("none",)
    assert told
    assert all(told)


@settings(max_examples=examples(300), deadline=None)
@given(_JSON)
def test_any_json_is_understood(document: Any) -> None:
    _understood(json.dumps(document).encode())


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=60))
def test_any_octets_are_understood(body: bytes) -> None:
    _understood(body)


_DOCUMENTS = list(configs())


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32), _JSON)
def test_a_damaged_configuration_is_understood(seed: int, other: Any) -> None:
    """Somewhere in a right configuration a value is another one."""
    source = random.Random(seed)
    document = json.loads(json.dumps(config(flow(), **{})))
    document["flows"] = [json.loads(json.dumps(source.choice(_DOCUMENTS[0]["flows"])))]
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = source.choice(keys)
        if not isinstance(place[key], (dict, list)) or not place[key] or source.random() < 0.15:
            place[key] = other
            break
        place = place[key]
    _understood(json.dumps(document).encode())
