*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    RFC 3918: multicast devices, from one port to three others.

Test Tags        rfc3918

Name             RFC 3918
