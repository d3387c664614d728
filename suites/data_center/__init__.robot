*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 8239: a switch of a data center under line rate, micro-bursts and incast.
Name                Data Center
Test Tags           rfc8239
