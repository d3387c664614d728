# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The embedded devices of layers 4 and 7 between programs that use the kernel's own TCP."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedBroken
from TesterLibrary.testbeds import RunningTestbed, open_testbed

SERVERS = [f"198.19.1.1{number}" for number in range(4)]
# Answers each request with its own address and the peer's.
SERVER = """
import http.server, socketserver, sys, threading
class Server(http.server.ThreadingHTTPServer):
    server_bind = socketserver.TCPServer.server_bind  # asks no name server who it is, for seconds
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{self.server.server_address[0]} {self.client_address[0]}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
servers = [Server((address, 80), Handler) for address in sys.argv[1:]]
threads = [threading.Thread(target=server.serve_forever) for server in servers]
for thread in threads: thread.start()
print("ready", flush=True)
"""
CLIENT = """
import sys, urllib.request
for _ in range(int(sys.argv[2])):
    print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
"""


class Lab:
    """The tester's two ports given to the kernel, each in a namespace of its own."""

    def __init__(self, testbed: RunningTestbed) -> None:
        self._tester = testbed.command_prefix
        # In one namespace clients and servers would reach each other without the device.
        self._far = subprocess.Popen([*self._tester, "unshare", "--net", "sleep", "infinity"])
        self._behind_p2 = ("nsenter", "--target", str(self._far.pid), "--net")
        self._await_namespace()
        self._run(self._tester, f"ip link set eth2 netns {self._far.pid}")
        self._run(self._tester, "ip addr add 198.18.1.2/16 dev eth1", "ip route add default via 198.18.1.1")
        addresses = [f"ip addr add {address}/16 dev eth2" for address in SERVERS]
        self._run(self._behind_p2, *addresses, "ip link set eth2 up", "ip route add default via 198.19.1.1")
        self._server = subprocess.Popen(
            [*self._behind_p2, sys.executable, "-c", SERVER, *SERVERS], stdout=subprocess.PIPE, text=True
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"

    def _await_namespace(self) -> None:
        ours = Path("/proc/self/ns/net").readlink()
        tester = subprocess.run(
            [*self._tester, "readlink", "/proc/self/ns/net"], capture_output=True, text=True, check=True
        ).stdout.strip()
        theirs = Path(f"/proc/{self._far.pid}/ns/net")
        while str(theirs.readlink()) in (str(ours), tester):
            assert self._far.poll() is None

    def _run(self, prefix: Sequence[str], *commands: str) -> None:
        for command in commands:
            subprocess.run([*prefix, *command.split()], check=True)

    def get(self, times: int) -> Counter[str]:
        """The answers that came back from the service, and how often each."""
        command = [*self._tester, sys.executable, "-c", CLIENT, "http://192.0.2.10/", str(times)]
        told = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert told.returncode == 0, told.stderr
        return Counter(told.stdout.splitlines())

    def close(self) -> None:
        for process in (self._server, self._far):
            process.kill()
            process.communicate()


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with open_testbed(request.param) as testbed:
        lab = Lab(testbed)
        yield lab
        lab.close()


@pytest.mark.parametrize("lab", ["l7-balancer", "l7-balancer-nginx"], indirect=True)
def test_a_balancer_asks_each_server_in_turn_as_itself(lab: Lab) -> None:
    assert lab.get(8) == {f"{address} 198.19.1.1": 2 for address in SERVERS}


@pytest.mark.parametrize("lab", ["l4-gateway", "l4-syn-proxy"], indirect=True)
def test_a_gateway_leads_each_connection_to_a_server(lab: Lab) -> None:
    assert lab.get(8) == {f"{address} 198.18.1.2": 2 for address in SERVERS}


def test_a_device_whose_program_refuses_says_what_it_said(tmp_path: Path) -> None:
    shipped = Path("resources/testbeds/embedded/l7-balancer.yaml").read_text()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(shipped.replace('"198.19.1.13:80"', '"999.19.1.13:80"'))
    with pytest.raises(
        TestbedBroken, match=r"did not come up: haproxy ended with status 1: .*999\.19\.1\.13"
    ):
        open_testbed(str(wrong))
