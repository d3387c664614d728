# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The plans that the engine's build and its fuzzers begin with are those of the protocols as they are now."""

from __future__ import annotations

from functools import cache

import pytest

from TesterLibrary._generated.tester.v1 import control_pb2
from TesterLibrary.files.paths import names
from tools.fuzz_corpus import CALLS, CORPUS, OVER_IPV6, PLANS, RPCS, written

expected = cache(written)


def first_block(octets: bytes) -> bytes:
    """The plan of an item of the corpus; what follows may be anything that a fuzzer has found."""
    return octets[2 : 2 + int.from_bytes(octets[:2], "big")]


@pytest.mark.parametrize("name", names("protocols"))
def test_a_protocol_is_in_the_corpus_as_it_is(name: str) -> None:
    kept = CORPUS / name
    assert kept.is_file(), f"{name} is new: run tools/fuzz_corpus.py"
    plan = first_block(kept.read_bytes())
    assert plan == first_block(expected()[kept]), f"{name} has changed: run tools/fuzz_corpus.py"


@pytest.mark.parametrize("name", [*names("protocols"), *(f"{name}-ipv6" for name in OVER_IPV6)])
def test_the_build_has_the_plan_of_a_protocol_as_it_is(name: str) -> None:
    kept = PLANS / f"{name}.binpb"
    assert kept.is_file(), f"{name} is new: run tools/fuzz_corpus.py"
    assert kept.read_bytes() == expected()[kept], f"{name} has changed: run tools/fuzz_corpus.py"


def test_the_build_and_the_corpus_have_only_protocols_that_are_shipped() -> None:
    assert {file.name for file in CORPUS.iterdir()} == set(names("protocols"))
    assert set(PLANS.iterdir()) == {path for path in expected() if path.parent == PLANS}


def test_calls_are_in_the_corpus_as_they_are() -> None:
    kept = {path: octets for path, octets in expected().items() if path.parent == CALLS}
    assert {path: path.read_bytes() for path in CALLS.iterdir()} == kept, "run tools/fuzz_corpus.py"


def test_every_call_of_the_engine_is_fuzzed() -> None:
    """Two are made with another one, and one ends the process: see engine/fuzz/calls_fuzz.cc."""
    methods = {method.name for method in control_pb2.DESCRIPTOR.services_by_name["Tester"].methods}
    assert methods - set(RPCS) == {"ReadCapture", "StopQuery", "Shutdown"}
    assert set(RPCS) <= methods
