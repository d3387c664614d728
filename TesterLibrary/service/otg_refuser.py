# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A server that tells clients of the Open Traffic Generator why they are not served."""

from __future__ import annotations

import shutil
import ssl
from pathlib import Path

from .otg.http import HttpServer
from .otg.refusal import OtgFailure, OtgForbidden
from .otg.rpc import GrpcServer
from .otg.serving import ADDRESS, Refusing
from .refusal import NotAllowed, Refusal


class OtgRefuser:
    """Tells one user why he is not served, in answers of the protocol."""

    def __init__(self, sockets: Path, context: ssl.SSLContext) -> None:
        """Listens on UNIX sockets in a folder of its own."""
        sockets.mkdir(mode=0o700)
        self.sockets = sockets
        self._refusing = Refusing()
        self._http = HttpServer(self._refusing, ADDRESS, sockets / "http", context)
        self._grpc = GrpcServer(self._refusing, ADDRESS, sockets / "grpc")

    def refuse(self, refusal: Refusal) -> None:
        """Gives this reason from now on."""
        kind = OtgForbidden if isinstance(refusal, NotAllowed) else OtgFailure
        self._refusing.refusal = kind([str(refusal)])

    def close(self) -> None:
        """Listens no more."""
        self._http.close()
        self._grpc.close()
        shutil.rmtree(self.sockets, ignore_errors=True)
