*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889: LAN switching devices, over four ports.
Name                RFC 2889
Test Tags           rfc2889
