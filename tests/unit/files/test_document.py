# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import TestbedError
from TesterLibrary.files.document import Document, Kind, dotted, read_document

KIND = Kind("testbed", TestbedError)


def _read(folder: Path, text: str | bytes) -> Document:
    path = folder / "bed.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_document(path, KIND)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10:22:33:44:55:06", "10:22:33:44:55:06"),  # a base-60 number to PyYAML
        ("no", "no"),  # false to PyYAML
        ("1.10", "1.10"),
        ("010", "010"),
        ("7", 7),
        ("-7", -7),
        ('"7"', "7"),
        ("true", True),
        ("null", None),
        ("", None),
        ("2026-01-01", "2026-01-01"),
    ],
)
def test_a_value_is_what_its_author_meant(tmp_path: Path, text: str, value: object) -> None:
    read = _read(tmp_path, f"key: {text}\n").data["key"]
    assert read == value
    assert type(read) is type(value)


def test_every_value_knows_its_line(tmp_path: Path) -> None:
    document = _read(tmp_path, "# first\nports:\n  - name: p1\n    speed: 1 Gbps\n  - name: p2\n")
    assert document.line(("ports", 0, "speed")) == 4
    assert document.line(("ports", 1, "name")) == 5
    assert document.line(("ports", 1, "speed")) == 5  # not there: the port it should be in
    error = document.error(("ports", 1, "name"), "no")
    assert isinstance(error, TestbedError)
    assert str(error) == f"{tmp_path / 'bed.yaml'}:5: ports[1].name: no"


def test_a_place_is_written_as_people_do() -> None:
    assert dotted(("ports", 0, "speed")) == "ports[0].speed"
    assert dotted(()) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "bed.yaml:4: b.c: given twice, in line 3 before; remove one"),
        ("a: [1\n", "bed.yaml:2: not YAML"),
        ("a: 1\n\tb: 2\n", "bed.yaml:2: not YAML"),
        ("[a]: 1\n", "bed.yaml:1: a key has to be a word"),
        (b"\xff\xfe\xff", "not YAML"),
        (b"x" * 1_000_001, "longer than"),
        ("a: " + "[" * 50 + "]" * 50, "too many values, too long, or too deep"),
    ],
)
def test_what_is_no_testbed_file_is_said_so(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(TestbedError, match=r"bed\.yaml") as caught:
        _read(tmp_path, text)
    assert message in str(caught.value)


def test_aliases_of_aliases_end_early(tmp_path: Path) -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(TestbedError, match="too many values"):
        _read(tmp_path, "\n".join(["l0: &l0 [1, 2, 3]", *levels]))


def test_aliases_of_a_long_text_end_early(tmp_path: Path) -> None:
    """Each value is looked at, and a campaign written anew: a megabyte was hours of work."""
    with pytest.raises(TestbedError, match="too long"):
        _read(tmp_path, f"a: &a {'x' * 200_000}\nb: [{', '.join(['*a'] * 6)}]")


def test_a_file_of_too_many_values_is_not_read_to_its_end(tmp_path: Path) -> None:
    """It would cost a service, which reads what strangers submit, 20 s and 300 MB."""
    with pytest.raises(TestbedError, match=r"bed\.yaml:2: too many values"):
        _read(tmp_path, f"a:\n  [{'b, ' * 20_000}\n  }} is no YAML")


def test_an_alias_of_itself_ends_early(tmp_path: Path) -> None:
    with pytest.raises(TestbedError, match="too deep"):
        _read(tmp_path, "a: &a [*a]\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TestbedError, match="cannot be read: No such file"):
        read_document(tmp_path / "none.yaml", KIND)


@given(st.one_of(st.binary(max_size=200), st.text(alphabet="ab:-[]{}&*! #\"'|>\n\t,0", max_size=200)))
def test_nothing_but_a_testbed_error_comes_out(
    tmp_path_factory: pytest.TempPathFactory, text: str | bytes
) -> None:
    with contextlib.suppress(TestbedError):
        assert isinstance(_read(tmp_path_factory.mktemp("fuzz"), text), Document)
