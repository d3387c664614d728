# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester serve`: leases testers to the users of a lab, and runs their jobs, over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import TesterLibraryError
from ..model.units.number import counted
from ._command import STATUS_HELP, command
from ._live import port

if TYPE_CHECKING:
    from ..service.config import Config
    from ..service.store import Store

_DESCRIPTION = """
Leases testers to the users of a lab, and runs their campaigns and job files, over HTTP with an OpenAPI
(docs/service.md), until Ctrl-C. Without a file it serves the testbeds that come with the library and need no
hardware, on 127.0.0.1, where the account that runs it, and root, are admins until a user is added.

The options on users change the database, also while the service runs, and serve nothing.
"""


@command(
    "serve",
    help="lease testers to users, and run their jobs, over HTTP",
    description=_DESCRIPTION + STATUS_HELP,
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="CONFIG", type=Path, nargs="?", help="such as lab.yaml")
    parser.add_argument(
        "--port", type=port, metavar="PORT", help="in place of that of the file; 0: a free one"
    )
    parser.add_argument(
        "--otg",
        metavar="PLACE",
        action="append",
        default=[],
        help="serve a place to Open Traffic Generator clients (snappi) of this machine, too, on ports 8443 "
        "and 40051, its own ports as localhost:5555 and so on; otg: of the file has others",
    )
    parser.add_argument("--openapi", action="store_true", help="print the OpenAPI as JSON, and end")
    users = parser.add_mutually_exclusive_group()
    users.add_argument("--users", action="store_true", help="list the users that have tokens")
    users.add_argument("--add-user", metavar="NAME", help="make a token for a user, and print it once")
    users.add_argument("--remove-user", metavar="NAME", help="forget all tokens of a user")
    parser.add_argument("--role", choices=("reader", "user", "admin"), help="of --add-user (default: user)")
    parser.add_argument(
        "--days", type=float, metavar="DAYS", help="of --add-user: how long the token is good"
    )
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    try:
        from ..service.config import load_config, shipped_places
    except ImportError as missing:
        raise TesterLibraryError(
            f"tester serve needs {missing.name}; install robotframework-testerlibrary[serve]"
        ) from None
    for name in ("role", "days"):
        if getattr(options, name) and not options.add_user:
            raise TesterLibraryError(f"--{name} is of a new user; give --add-user NAME, too")
    config = load_config(options.file) if options.file else shipped_places()
    if options.port is not None:
        config = replace(config, port=options.port)
    for name in options.otg:
        config = config.with_otg(name)
    os.umask(0o077)  # runs, tokens of testers and the audit are nobody else's business
    if options.users or options.add_user or options.remove_user:
        return _change_users(options, config)
    return _print_openapi(config) if options.openapi else _run(config)


def _open(config: Config, *, alone: bool) -> Store:
    from ..service.store import Store

    config.folder.mkdir(parents=True, exist_ok=True)
    return Store(config.database, alone=alone)


def _change_users(options: argparse.Namespace, config: Config) -> int:
    from ..service.access import add_user, remove_user, shown_users, tokens_of

    with closing(_open(config, alone=False)) as store:
        if options.add_user:
            print(add_user(store, options.add_user, options.role or "user", options.days))
            if (tokens := tokens_of(store, options.add_user)) > 1:
                said = f"{options.add_user} has {tokens} tokens now, which are all good"
                print(f"tester: {said}; --remove-user forgets them all", file=sys.stderr)
        elif options.remove_user:
            print(remove_user(store, options.remove_user))
        else:
            print(*shown_users(store), sep="\n")
    return 0


def _print_openapi(config: Config) -> int:
    import json
    import tempfile

    from ..reporting.trend.address import Address
    from ..service.server import Service
    from ..service.store import Store

    with tempfile.TemporaryDirectory() as folder:
        service = Service(config, Store(Address.parse(Path(folder) / "none.sqlite")))
        described = json.dumps(service.api.openapi(), indent=2)
        service.ledger.close()
    print(described)
    return 0


def _run(config: Config) -> int:
    try:
        from ..service.server import Service, make_service_server
        from ..service.web.server import url_of
    except ImportError as missing:
        raise TesterLibraryError(
            f"tester serve needs {missing.name}; install robotframework-testerlibrary[serve]"
        ) from None
    store = _open(config, alone=True)
    try:
        has_tokens = bool(store.users())
        config.check_access(has_tokens=has_tokens)
        config.check_runners(has_tokens=has_tokens)
        service = Service(config, store)
        server, listening = make_service_server(service)
    except BaseException:
        store.close()
        raise
    with listening:
        places = counted(len(config.places), "place")
        url = url_of(listening, "https" if config.tls else "http").rstrip("/")
        print(f"{url}: {places}, {config.database} (Ctrl-C ends it)", flush=True)
        server.run(sockets=[listening])
    return 0 if server.started else 3
