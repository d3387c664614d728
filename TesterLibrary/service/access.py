# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Users of the service as the owner of a lab adds and removes them, beside the service or while it runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from getpass import getuser

from ..errors import TesterLibraryError
from .ledger import Caller
from .store import Store, expires_in
from .user import Role, User, digest_of, new_token

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


def add_user(store: Store, name: str, role: str, days: float | None) -> str:
    """Makes a token for a user, beside those that he has. Returns the token, which is not kept.

    TesterLibraryError says what is wrong with the name or the time, or that he has another role.
    """
    if not _NAME.fullmatch(name):
        raise TesterLibraryError(f"--add-user {name!r}: give 1 to 64 letters, digits, '.', '_', '@' and '-'")
    if days is not None and not 0 < days <= 36_500:
        raise TesterLibraryError(f"--days {days:g} is not allowed; give a number above 0, up to 36500")
    has = {user.role.value for user in store.users().values() if user.name == name} - {role}
    if has:
        raise TesterLibraryError(
            f"--add-user {name}: is {' and '.join(sorted(has))} already, by a token that would stay good; "
            f"--remove-user {name} first, or give --role {min(has)}"
        )
    token = new_token()
    user = User(name, Role(role), None if days is None else expires_in(days))
    store.put_user(digest_of(token), user)
    store.write([], [_owner().line("add a user", name, 200, role)])
    return token


def remove_user(store: Store, name: str) -> str:
    """Forgets all tokens of a user. Returns what was done; TesterLibraryError if he has none."""
    tokens = tokens_of(store, name)
    if not tokens:
        known = ", ".join(sorted({user.name for user in store.users().values()})) or "nobody"
        raise TesterLibraryError(f"--remove-user {name!r}: there is no such user; {known} has a token")
    store.remove_user(name)
    store.write([], [_owner().line("remove a user", name, 200)])
    are = "token is" if tokens == 1 else "tokens are"
    return f"{name}: {tokens} {are} forgotten; a service that runs knows it within 2 s"


def tokens_of(store: Store, name: str) -> int:
    """How many tokens a user has."""
    return sum(user.name == name for user in store.users().values())


def shown_users(store: Store) -> Iterator[str]:
    """A line for each token."""
    users = store.users()
    if not users:
        yield "nobody has a token; --add-user NAME makes one"
    for user in users.values():
        until = "for ever"
        if user.expires_s is not None:
            until = f"until {datetime.fromtimestamp(user.expires_s, timezone.utc):%Y-%m-%d %H:%M} UTC"
        yield f"{user.name:<20} {user.role.value:<7} good {until}"


def _owner() -> Caller:
    try:
        name = getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return Caller(name, Role.ADMIN, "the command line")
