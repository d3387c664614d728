# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a database of runs is: a DuckDB file by its path, or a PostgreSQL server by its URL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ...errors import TesterLibraryError

_SCHEMES = ("postgresql", "postgres")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/(/?)")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(:[0-9]*)?")
_FORM = "postgresql://USER@HOST:PORT/DATABASE"


@dataclass(frozen=True)
class Address:
    """A file, or the URL of a server. As a text it has no password, so it may be printed."""

    given: str = field(repr=False)
    is_server: bool

    @classmethod
    def parse(cls, text: str | Path, kind: str = "a database of runs is a DuckDB file") -> Address:
        """The address that a user gave; `kind` says what a file would be.

        Raises:
            TesterLibraryError: it is a URL of another kind, or one in which a password may be taken for
                something else. The message has no part of the URL in which a password may be.
        """
        text = str(text)
        found = _URL.match(text)
        if not found:
            return cls(text, is_server=False)
        scheme = found[1].lower()
        if scheme not in _SCHEMES:
            raise TesterLibraryError(
                f"{kind} or {_FORM}; an address that begins with {scheme}: is not supported"
            )
        if not found[2] or not _is_clear(text[found.end() :]):
            raise TesterLibraryError(
                f"the address of the PostgreSQL database cannot be read; write {_FORM}, with %40 for @, %2F "
                "for / and %3A for : in names and passwords. It is not printed, as it may have a password"
            )
        return cls(text, is_server=True)

    @property
    def file(self) -> Path:
        """The path of a file."""
        return Path(self.given).expanduser()

    def __str__(self) -> str:
        if not self.is_server:
            return self.given
        parts = urlsplit(self.given)
        user, at, host = parts.netloc.rpartition("@")
        name, colon, _ = user.partition(":")
        return f"{parts.scheme}://{name}{':***' if colon else ''}{at}{host}{parts.path}"


def _is_clear(rest: str) -> bool:
    """Whether everybody divides what follows `postgresql://` in the same way.

    An @, / or : of a password that is not encoded would make a part of it a host or a port, which libpq
    names in its messages.
    """
    place, _, options = rest.partition("?")
    authority, _, path = place.partition("/")
    hosts = authority.rpartition("@")[2].split(",")
    return "@" not in path + options and authority.count("@") <= 1 and all(map(_HOST.fullmatch, hosts))
