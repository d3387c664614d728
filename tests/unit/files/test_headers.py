# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.files.headers import load_headers
from TesterLibrary.model.headers import FieldType, HeaderType

HEAD = "version: 1\nheaders:\n  - name: Tag\n    fields:\n"


def test_the_example_that_comes_with_the_library() -> None:
    assert load_headers("example") == (
        HeaderType(
            "FabricTag",
            (FieldType("kind", 4, 3), FieldType("id", 12), FieldType("next", 16)),
            follows={"Ether": {"type": 0x88B6}},
            carries={"IP": {"next": 0x0800}, "IPv6": {"next": 0x86DD}},
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "      - {name: a, bits: 12}\n",
            "4: headers[0].fields: 12 bits in all are no whole number of bytes",
        ),
        (
            HEAD + "      - {name: a, bits: 8, default: 256}\n",
            "5: headers[0].fields[0].default: does not fit 8 bits; give 0 to 255",
        ),
        (
            HEAD + "      - {name: a, bit: 8}\n",
            "5: headers[0].fields[0].bit: there is no such key (did you mean 'bits'?); allowed are name",
        ),
        (
            HEAD + "      - {name: a, bits: 0}\n",
            "5: headers[0].fields[0].bits: 0 is not allowed; give a number of bits",
        ),
        (
            HEAD + "      - {name: class, bits: 8}\n",
            "5: headers[0].fields[0].name: 'class' is a word of Python's; give another",
        ),
        ("version: 2\nheaders: []\n", "1: version: 2 is not allowed; give 1"),
        ("version: [1\n", "2: not YAML"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(PlanError) as error:
        load_headers(str(path))
    assert f"{path}:{message}" in str(error.value)


def test_a_file_that_does_not_come_with_the_library() -> None:
    with pytest.raises(
        TesterLibraryError, match="'sample' does not come with the library; these do: example"
    ):
        load_headers("sample")
