*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Gateways that translate addresses and ports, and keep a table of connections (RFC 9693).

Test Tags        nat

Name             NAT
