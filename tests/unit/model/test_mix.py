# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import UnitError
from TesterLibrary.model.mix import SizeMix, mix_of, parse_frame_sizes, smooth
from TesterLibrary.model.units.units import FrameSize

WEIGHTS = st.lists(st.integers(1, 60), min_size=1, max_size=6)


@settings(deadline=None)
@given(WEIGHTS)
def test_after_any_number_of_frames_a_mix_is_as_even_as_can_be(weights: list[int]) -> None:
    """Tijdeman's bound, by counting."""
    order = smooth([(64 + index, weight) for index, weight in enumerate(weights)])
    total, bound = sum(weights), 1 - Fraction(1, max(2, 2 * len(weights) - 2))
    for index, weight in enumerate(weights):
        sent = accumulate(size == 64 + index for size in order)
        for number, count in enumerate(sent, 1):
            assert abs(count - Fraction(weight * number, total)) <= bound


@settings(deadline=None)
@given(WEIGHTS, st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 400))
def test_any_window_of_whole_periods_is_exact(
    weights: list[int], first: int, periods: int, length: int
) -> None:
    order = smooth([(64 + index, weight) for index, weight in enumerate(weights)])
    period, divisor = len(order), reduce(gcd, weights)
    assert period * divisor == sum(weights)
    window = Counter(order[number % period] for number in range(first, first + periods * period))
    assert [window[64 + i] for i in range(len(weights))] == [
        periods * weight // divisor for weight in weights
    ]
    window = Counter(order[number % period] for number in range(first, first + length))
    for index, weight in enumerate(weights):
        assert abs(window[64 + index] - Fraction(weight * length, sum(weights))) < 2


def test_imix_is_the_simple_one() -> None:
    imix = parse_frame_sizes("imix")
    assert Counter(imix.order) == {64: 7, 570: 4, 1518: 1}
    assert imix.mean == Fraction(4246, 12)
    assert str(imix) == "IMIX (353.83 bytes on average)"
    assert parse_frame_sizes("64:7  570:4 1518:1").order == imix.order


def test_genomes_are_those_of_rfc_6985() -> None:
    assert parse_frame_sizes("IMIX(aaafg)").order == (64, 64, 64, 1280, 1518)
    assert parse_frame_sizes("IMIX(abcdefghij)").order == (
        64,
        128,
        256,
        512,
        1024,
        1280,
        1518,
        2112,
        9000,
        16000,
    )
    assert parse_frame_sizes("IMIX( aAz , A = 400, z=1400 )").order == (64, 400, 1400)


def test_one_size_is_no_mix() -> None:
    assert parse_frame_sizes("512 bytes") == FrameSize(512)
    assert parse_frame_sizes(FrameSize(9)) == FrameSize(9)
    assert (FrameSize(512).mean, FrameSize(512).order) == (512, (512,))
    assert isinstance(parse_frame_sizes("64:1"), SizeMix)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("63", "'63' is not a frame size"),
        ("IMIX(az)", r"z is no size; a to j are \(RFC 6985\).*IMIX\(az, z=1400\)"),
        ("IMIX(aA, A=63)", "'63' is not a frame size"),
        ("IMIX(a, a=100)", "a is 64 bytes"),
        ("64:0 128:1", "each size once, with a weight above 0"),
        ("64:1 64:2", "each size once"),
        ("64:1 x", "is not a mix"),
        ("63:1", "'63' is not a frame size"),
        ("64:65536 128:1", "repeats after more than 65536 frames"),
        ("IMIX()", "is not a frame size"),
    ],
)
def test_what_is_no_mix_is_refused(written: str, message: str) -> None:
    with pytest.raises(UnitError, match=message):
        parse_frame_sizes(written)


def test_sizes_with_weights_are_one_mix() -> None:
    parts = [parse_frame_sizes(text) for text in ("64:7", "570:4", "1518:1")]
    assert mix_of(parts) == parse_frame_sizes("64:7 570:4 1518:1")
    assert mix_of([FrameSize(512)]) == FrameSize(512)


@pytest.mark.parametrize("texts", [(), ("64", "128"), ("64:7", "128"), ("64:7", "imix"), ("64:7", "64:1")])
def test_several_sizes_need_weights(texts: tuple[str, ...]) -> None:
    with pytest.raises(UnitError, match="64:7 570:4 1518:1"):
        mix_of([parse_frame_sizes(text) for text in texts])
