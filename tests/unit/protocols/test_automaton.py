# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.scanner import Find, ScannedNumber, Scanner
from TesterLibrary.protocols.automaton import Automaton, Scanned, ScanProgress

SCANNER = Scanner(
    "head",
    ends=(Find(b"\n\n"),),
    finds=(
        Find(b"GET ", at_start=True, fields=(("get", 1),)),
        Find(b"size:", ignore_case=True, number=ScannedNumber("size")),
        Find(b"aab", fields=(("found", 1),)),
    ),
    most=40,
)
AUTOMATON = Automaton(SCANNER)


def scan(pieces: list[bytes]) -> tuple[Scanned, dict[str, int], int]:
    """One piece after another."""
    variables = {"get": 0, "size": 0, "found": 0}
    scanned, taken = Scanned(ScanProgress(), 0), 0
    for piece in pieces:
        if scanned.ended or scanned.overlong:
            break
        scanned = AUTOMATON.scan(piece, scanned.progress, variables)
        taken += scanned.taken
    return scanned, variables, taken


@given(st.text("GET aAbSizESIZE:0123\n", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_how_a_stream_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    stream = text.encode()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    whole, cut = scan([stream]), scan(pieces)
    assert whole[1:] == cut[1:]
    assert (whole[0].ended, whole[0].overlong) == (cut[0].ended, cut[0].overlong)


@given(st.text("GET aAb\n", max_size=39))
def test_it_finds_what_bytes_find_finds(text: str) -> None:
    stream = text.encode()
    scanned, variables, taken = scan([stream])
    end = stream.find(b"\n\n")
    assert scanned.ended == (end >= 0)
    assert taken == (end + 2 if end >= 0 else len(stream))
    assert variables["get"] == stream[:taken].startswith(b"GET ")
    assert variables["found"] == (b"aab" in stream[:taken])


def test_numbers_stand_behind_blanks() -> None:
    for text, size in ((b"Size: 0123 4", 123), (b"SIZE:7", 7), (b"size: x9", 0), (b"size:1size:\t2", 2)):
        assert scan([text])[1]["size"] == size


def test_a_stream_without_end_is_overlong() -> None:
    assert scan([b"x" * 41])[0].overlong
    assert not scan([b"x" * 40])[0].overlong
    assert scan([b"x" * 38 + b"\n\n"])[0].ended


class Limited(dict[str, int]):
    """Variables of 8 bits."""

    def __setitem__(self, name: str, value: int) -> None:
        super().__setitem__(name, min(value, 255))


LINE = Automaton(
    Scanner(
        "line",
        ends=(Find(b"\r\n", at_start=True, fields=(("empty", 1),)), Find(b"\r\n")),
        finds=(Find(b"!", added=(("marks", 100),)),),
        begin=Find(b"", fields=(("right", 1),), number=ScannedNumber("size", 16, b"\r;", (("right", 0),))),
    )
)


def line(pieces: list[bytes]) -> Limited:
    variables = Limited(size=0, right=0, marks=0, empty=0)
    progress = ScanProgress()
    for piece in pieces:
        scanned = LINE.scan(piece, progress, variables)
        progress = scanned.progress
    assert scanned.ended
    return variables


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (b"0", 0),
        (b"fF", 255),
        (b"00000ff", 255),
        (b"a;b", 10),
        (b"a \t;b", 10),
        (b"a ", 10),
        (b" a", 10),
        (b"100", None),
        (b"ffffffffffffffffffffffff", None),
        (b"x", None),
        (b"ax", None),
        (b"a b", None),
        (b"a,", None),
        (b"", None),
        (b" ", None),
        (b"-1", None),
        (b"0x1", None),
    ],
)
def test_a_number_is_right_or_told_from_one_that_is(text: bytes, size: int | None) -> None:
    stream = text + b"\r\n"
    for pieces in ([stream], [bytes([octet]) for octet in stream], [b"", *(b"", stream)]):
        found = line(pieces)
        assert found["right"] == (size is not None)
        assert found["empty"] == (text == b"")
        if size is not None:
            assert found["size"] == size


def test_what_is_added_stays_at_the_largest_value() -> None:
    assert [line([b"!" * count + b"\r\n"])["marks"] for count in range(4)] == [0, 100, 200, 255]
