# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.payload import load_payload
from TesterLibrary.model.payload import Payload, PayloadKind


def test_what_is_written_is_what_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "octets"
    path.write_bytes(b"\x00\xff")
    assert load_payload(PayloadKind.TEXT, "grüße") == Payload(PayloadKind.TEXT, "grüße".encode())
    assert load_payload(PayloadKind.FILE, str(path)) == Payload(PayloadKind.FILE, b"\x00\xff")
    assert load_payload(PayloadKind.ZEROS, "") == Payload(PayloadKind.ZEROS)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        (PayloadKind.ZEROS, "x", "a payload of zeros has no content; leave 'x' out"),
        (PayloadKind.TEXT, "", "a payload of the kind text needs a content: the text"),
        (PayloadKind.FILE, "", "needs a content: the path of a file"),
        (PayloadKind.FILE, "/nowhere", "payload file '/nowhere' cannot be read: No such file or directory"),
    ],
)
def test_what_does_not_go_together_is_refused(kind: PayloadKind, content: str, message: str) -> None:
    with pytest.raises(PlanError) as error:
        load_payload(kind, content)
    assert message in str(error.value)
