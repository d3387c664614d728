*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     The table of multicast groups of a bridge is found exactly, whatever its size.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Variables ***
${TESTBED}    embedded/l2-multicast
${PLANTED}    150


*** Test Cases ***
The Planted Table Is Found
    [Documentation]    From 16 groups on, by version 3.
    ${result} =    Find Multicast Group Capacity    p1    p2    protocol=igmpv3    rest=1.1 s    empty=True
    Should Be Equal As Integers    ${result.capacity}    ${PLANTED}
    Verify Multicast Group Capacity Above    ${PLANTED}    ${result}
