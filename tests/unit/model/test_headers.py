# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import UnitError
from TesterLibrary.model.headers import Header, HeaderStack


def test_a_stack_reads_as_scapy_s_users_write_it() -> None:
    stack = HeaderStack.parse("Ether / Dot1Q(vlan=100, prio=0x5)/IP(dst=198.18.1.2) / UDP()")
    assert stack.headers == (
        Header("Ether"),
        Header("Dot1Q", (("vlan", "100"), ("prio", "0x5"))),
        Header("IP", (("dst", "198.18.1.2"),)),
        Header("UDP"),
    )
    assert str(stack) == "Ether / Dot1Q(vlan=100, prio=0x5) / IP(dst=198.18.1.2) / UDP"
    assert stack.names == "Ether / Dot1Q / IP / UDP"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2001:2::1", "2001:2::1"),
        ("02:00:00:00:00:01", "02:00:00:00:00:01"),
        ("who-has", "who-has"),
        ("DF+MF", "DF+MF"),
        ('"a, (b) = c"', "a, (b) = c"),
        ("'say \"x\"'", 'say "x"'),
        ('""', ""),
        ("[]", ()),
        ("[1, '2', c]", ("1", "2", "c")),
        ("10.0.0.0/8", "10.0.0.0/8"),
    ],
)
def test_values(text: str, value: object) -> None:
    stack = HeaderStack.parse(f"A(b={text}) / C")
    assert stack.headers == (Header("A", (("b", value),)), Header("C"))  # type: ignore[arg-type]
    assert HeaderStack.parse(str(stack)) == stack


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at the end (character 1) there should be the name of a header"),
        ("Ether /", "at the end (character 8) there should be the name of a header"),
        ("Ether IP", "at 'IP' (character 7) there should be '/' or the end"),
        ("Ether / IP(ttl)", "at ')' (character 15) there should be '='"),
        ("Ether / IP(ttl=)", "at ')' (character 16) there should be a value"),
        ("Ether / IP(ttl=1", "at the end (character 17) there should be ',' or ')'"),
        ("Ether / IP(ttl=[1)", "there should be ',' or ']'"),
        ("Ether / IP(ttl=1,)", "at ')' (character 18) there should be the name of a field"),
        ('Ether / IP(a="b)', "at '\"b)' (character 14) there should be a value"),
        ("Ether / 7", "at '7' (character 9) there should be the name of a header"),
        ("__import__('os')", "at \"'os')\" (character 12) there should be the name of a field"),
        ("Ether / IP(ttl=1, ttl=2)", "IP has the field 'ttl' twice; write it once"),
        (" / ".join(["IP"] * 33), "a stack of 33 headers; write at most 32"),
        ("x" * 4097, "a header stack of 4097 characters; write at most 4096"),
    ],
)
def test_what_is_no_stack_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UnitError) as error:
        HeaderStack.parse(text)
    assert message in str(error.value)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
scalars = st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=12)
values = scalars | st.lists(scalars, max_size=3).map(tuple)
headers = st.builds(Header, names, st.dictionaries(names, values, max_size=3).map(lambda d: tuple(d.items())))


@given(st.lists(headers, min_size=1, max_size=5))
def test_what_is_written_reads_back(stack: list[Header]) -> None:
    made = HeaderStack(tuple(stack))
    assert HeaderStack.parse(str(made)) == made


@given(st.text() | st.text("AEther/IP(=),[]\"' 01.:\n", max_size=60))
def test_nothing_but_a_unit_error_comes_out(text: str) -> None:
    with contextlib.suppress(UnitError):
        made = HeaderStack.parse(text)
        assert HeaderStack.parse(str(made)) == made
