# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An address is printed without its password; one that may be misread is refused, and not printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.trend.address import Address


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("postgresql://lab:s3cret@db.lab:5432/runs", "postgresql://lab:***@db.lab:5432/runs"),
        ("postgres://lab@db.lab/runs", "postgres://lab@db.lab/runs"),
        ("postgresql://db.lab/runs?user=lab&password=s3cret", "postgresql://db.lab/runs"),
        ("postgresql://lab:s3%40cret@[::1]:5432,b:1/runs", "postgresql://lab:***@[::1]:5432,b:1/runs"),
        ("postgresql://lab:@%2Frun%2Fpostgresql/runs", "postgresql://lab:***@%2Frun%2Fpostgresql/runs"),
        ("postgresql:///runs", "postgresql:///runs"),
    ],
)
def test_a_server_is_printed_without_its_password(given: str, printed: str) -> None:
    address = Address.parse(given)
    assert address.is_server
    assert address.given == given
    assert str(address) == printed
    assert "s3" not in repr(address)


@pytest.mark.parametrize("given", ["results/trend.duckdb", "/var/lib/a@b:c.duckdb", "C: odd.duckdb"])
def test_everything_else_is_a_file(given: str) -> None:
    address = Address.parse(given)
    assert not address.is_server
    assert address.file == Path(given)
    assert str(address) == given


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://lab:s3@cret@db.lab/runs",
        "postgresql://lab:s3/cret@db.lab/runs",
        "postgresql://lab:s3?cret@db.lab/runs",
        "postgresql://lab:s3cret/runs",
        "postgresql://lab@db.lab:s3cret/runs",
        "postgresql:/lab:s3cret@db.lab/runs",
    ],
)
def test_a_password_that_is_not_encoded_is_refused_and_not_printed(given: str) -> None:
    with pytest.raises(TesterLibraryError, match="cannot be read; write postgresql://USER@") as refused:
        Address.parse(given)
    assert "s3" not in str(refused.value)
    assert "cret" not in str(refused.value)


def test_another_kind_of_server_is_refused() -> None:
    with pytest.raises(TesterLibraryError, match="begins with mysql: is not supported") as refused:
        Address.parse("mysql://lab:s3cret@db/runs")
    assert "s3cret" not in str(refused.value)
