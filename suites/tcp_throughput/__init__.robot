*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 6349: what TCP gets out of a path, and what it costs.
Name                TCP Throughput
Test Tags           rfc6349
