# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Configurations with anything in place of some of their parts: they are sent, or refused with the place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from TesterLibrary.service.otg.json_text import parsed
from TesterLibrary.service.otg.refusal import OtgError, OtgFailure

from ....examples import examples
from .bench import Bench
from .configs import Json, config, flow, packets, sendings

_ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, 1, -1, 2**16, 2**32, 2**48, 2**64, 0.5, 1e300, 100.000001]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["increment", "value", "values", "10.0.0.1", "::1", "00:11:22:33:44:55", "ff", "one"]),
    st.just([]),
    st.just({}),
    st.lists(st.integers(0, 2**64), max_size=3),
)


def _whole() -> Json:
    """A configuration with much of what there is."""
    stacks, ways = list(packets()), list(sendings())
    flows = [flow(f"f{number}", packet=stack) for number, stack in enumerate(stacks[:12])]
    flows += [flow(f"s{number}", **way) for number, way in enumerate(ways[:12])]
    return config(*flows)


def _places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all parts."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*at, key)
        yield from _places(child, (*at, key))


_WHOLE = _whole()
_PLACES = list(_places(_WHOLE))
_CHANGES = st.lists(st.tuples(st.sampled_from(_PLACES), _ANYTHING), min_size=1, max_size=3)


def _changed(changes: list[tuple[tuple[Any, ...], Any]]) -> Json:
    found = deepcopy(_WHOLE)
    for (*way, last), value in changes:
        node: Any = found
        try:
            for key in way:
                node = node[key]
            node[last] = value
        except (KeyError, IndexError, TypeError):  # what was there was changed before
            continue
    return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("otg"))


def _refusals(bench: Bench, body: bytes) -> tuple[str, ...]:
    """The errors with which a configuration is refused; none if it is taken."""
    try:
        bench.generator.call("SetConfig", parsed("Config", body))
    except OtgFailure:  # a tester that failed, which is no answer to what was sent
        raise
    except OtgError as refused:
        return refused.errors
    return ()


def _kept(bench: Bench) -> bytes:
    answer = bench.generator.call("GetConfig", None)
    assert not isinstance(answer, bytes)
    return bytes(answer.SerializeToString())


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=_CHANGES)
def test_a_configuration_is_taken_or_refused(
    bench: Bench, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    before = _kept(bench)
    errors = _refusals(bench, json.dumps(_changed(changes)).encode())
    assert all(error.strip() for error in errors)
    assert not errors or _kept(bench) in (before, b"")


@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.one_of(st.binary(max_size=200), st.text(max_size=100).map(str.encode)))
def test_octets_that_are_no_configuration_are_refused(bench: Bench, body: bytes) -> None:
    before = _kept(bench)
    assert _refusals(bench, body) or body.strip() == b"{}"
    assert _kept(bench) in (before, b"")
