# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests that go to one server and to no other."""

from __future__ import annotations

import urllib.request
from typing import Any


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere: a key or token would go along, and a POST become a GET."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Makes no other request of it, so that the answer is the redirection itself."""
        return
