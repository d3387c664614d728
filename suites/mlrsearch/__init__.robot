*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       MLRsearch, Multiple Loss Ratio search (RFC 9971): rates without loss and with a part of it, searched
...                 together, in one direction, for the frame sizes of RFC 2544 section 9.1.
Name                MLRsearch
Test Tags           rfc9971
