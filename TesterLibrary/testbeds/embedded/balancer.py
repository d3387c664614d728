# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A layer-7 load balancer: HAProxy or nginx on a router, between clients and servers."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..programs import serve
from . import DutPort, device, router

if TYPE_CHECKING:
    from ..namespace import Namespace

_PACKAGES = {"haproxy": "haproxy", "nginx": "nginx-light"}
_HAPROXY = """\
global
  maxconn {connections}
  nbthread 1
defaults
  mode http
  balance roundrobin
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend service
  bind {service}
  default_backend servers
backend servers
{servers}
"""
_NGINX = """\
daemon off;
master_process off;
pid {scratch}/nginx.pid;
error_log stderr;
events {{ worker_connections {workers}; }}
http {{
  access_log off;
  client_body_temp_path {scratch}/body;
  proxy_temp_path {scratch}/proxy;
  fastcgi_temp_path {scratch}/fastcgi;
  uwsgi_temp_path {scratch}/uwsgi;
  scgi_temp_path {scratch}/scgi;
  upstream servers {{
{servers}
    keepalive 1024;
  }}
  map $http_host $chosen {{
    default servers;
{hosts}
  }}
  server {{
    listen {service} backlog=4096;
    location / {{
      proxy_pass http://$chosen;
      proxy_set_header Host $http_host;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }}
  }}
}}
"""


@device("balancer")
def build(
    namespace: Namespace,
    ports: Sequence[DutPort],
    *,
    service: str,
    servers: Sequence[str],
    software: str = "haproxy",
    connections: int = 9_000,
) -> None:
    """Requests to `service`, an address of its own, go round the servers.

    Those for the host `tester-001` all go to the first one, for `tester-002` to the second, and so on.
    """
    router.build(namespace, ports)
    address, _, port = service.partition(":")
    namespace.address("lo", ipaddress.ip_interface(f"{address}/32"))
    namespace.up("lo")
    namespace.sysctl("core.somaxconn", 65535)
    namespace.sysctl("ipv4.tcp_max_syn_backlog", 65535)
    namespace.sysctl("ipv4.ip_local_port_range", "1024 65535")
    configured = _haproxy if software == "haproxy" else _nginx
    command = configured(namespace.scratch(), service, servers, connections)
    serve(namespace, command, package=_PACKAGES[software], service=(address, int(port)))


def _haproxy(folder: Path, service: str, servers: Sequence[str], connections: int) -> list[str]:
    members = [f"  server s{number} {server}" for number, server in enumerate(servers, 1)]
    chosen = [
        f"  use-server s{number} if {{ req.hdr(host) tester-{number:03} }}"
        for number in range(1, len(members) + 1)
    ]
    lines = "\n".join(members + chosen)
    configuration = folder / "haproxy.cfg"
    configuration.write_text(_HAPROXY.format(connections=connections, service=service, servers=lines))
    return ["haproxy", "-db", "-f", str(configuration)]


def _nginx(folder: Path, service: str, servers: Sequence[str], connections: int) -> list[str]:
    lines = "\n".join(f"    server {server};" for server in servers)
    hosts = "\n".join(f"    tester-{number:03} {server};" for number, server in enumerate(servers, 1))
    workers = 2 * connections  # each has a client's side and a server's
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _NGINX.format(scratch=folder, workers=workers, service=service, servers=lines, hosts=hosts)
    )
    return ["nginx", "-c", str(configuration)]
