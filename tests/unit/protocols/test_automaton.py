# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.model.scanner import Find, Scanner
from TesterLibrary.protocols.automaton import Automaton, Scanned, ScanProgress

SCANNER = Scanner(
    "head",
    ends=(Find(b"\n\n"),),
    finds=(
        Find(b"GET ", at_start=True, fields=(("get", 1),)),
        Find(b"size:", ignore_case=True, number="size"),
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
