# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Named arguments that are parameters of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients

from .fake_library import library_on_fake

NOBODY = Endpoints.parse("198.18.0.99:80")  # who asks for it waits in vain


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "flowsize",
            "clients 'users': there is no parameter 'flowsize' (did you mean 'flow_size'?); http-client",
        ),
        ("request_timeot", "there is no parameter 'request_timeot' (did you mean 'request_timeout'?)"),
        ("colour", "there is no parameter 'colour'; http-client has "),
    ],
)
def test_an_unknown_parameter_is_refused_before_the_target_is_asked_for(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    asked: list[object] = []
    monkeypatch.setattr(library.suite.tester.target.frames, "resolve", lambda *a, **_: asked.append(a))
    with pytest.raises(PlanError) as refused:
        library.start_http_clients("users", NOBODY, **{given: "1 kB"})
    assert said in str(refused.value)
    assert asked == []
    with pytest.raises(PlanError, match="responder 'web': there is no parameter 'bdy'"):
        library.start_http_responder("web", bdy=5)


@pytest.mark.parametrize(("given", "hint"), [("size", ""), ("conections", " (did you mean 'connections'?)")])
def test_a_parameter_of_tables_that_have_none(
    given: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    with pytest.raises(PlanError) as refused:
        library.start_protocol_clients("users", "tcp-probe", NOBODY, **{given: "10"})
    assert str(refused.value) == (
        f"clients 'users': there is no parameter '{given}'{hint}; tcp-probe has none"
    )


@pytest.mark.parametrize(
    ("start", "arguments", "parameters", "argument"),
    [
        ("http_clients", ("x", NOBODY), {"size": "2 MB"}, "response_size"),
        ("tcp_clients", ("x", NOBODY), {"size": "2 MB"}, "flow_size"),
        ("roce_requester", ("x", NOBODY.addresses), {"rest": 7}, "message_size"),
        ("roce_responder", ("x",), {"mtu_bits": 9}, "mtu"),
    ],
)
def test_a_parameter_that_an_argument_sets_is_refused(
    start: str,
    arguments: tuple[object, ...],
    parameters: dict[str, object],
    argument: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    (name,) = parameters
    with pytest.raises(
        PlanError, match=f"the argument '{argument}' sets the parameter '{name}'; give {argument}="
    ):
        getattr(library, f"start_{start}")(*arguments, **parameters)


def test_the_old_name_of_the_response_size_still_works_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    started: list[Clients] = []
    warned: list[str] = []
    monkeypatch.setattr(library.suite.connections, "start", started.append)
    monkeypatch.setattr("TesterLibrary.keywords._parameters.logger.warn", warned.append)
    library.start_http_clients("old", NOBODY, flow_size="2 MB")
    library.start_http_clients("new", NOBODY, response_size="2 MB")
    assert [clients.parameters["size"] for clients in started] == [2_000_000, 2_000_000]
    assert warned == [
        "Start HTTP Clients: the argument 'flow_size' is deprecated; write 'response_size'",
    ]
    with pytest.raises(
        PlanError, match="response_size= and flow_size= are one argument; give response_size="
    ):
        library.start_http_clients("both", NOBODY, response_size="2 MB", flow_size="1 MB")
