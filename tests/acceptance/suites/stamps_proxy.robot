*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A device that ends connections keeps neither stamps nor segments, and that is what is said of it.

Library           TesterLibrary    testbed=embedded/stamped-proxy

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Stamps Do Not Come Through
    [Documentation]    Not 100 % loss: nobody knows.
    Create Path    north    between=p1,p2
    Create Path    south    between=p3,p4
    Stamp Traffic    load    between=north,south    headers=IP / TCP    direction=forward
    Start Path
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.1.1/100kB
    Stop Path
    Get Stamp Statistics    load    received    ==    0
    Get Stamp Statistics    load    unstamped    >    3
    Verify Loss Below    0
