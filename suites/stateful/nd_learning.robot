*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What a router learns of its IPv6 neighbours (RFC 8161): neighbour discovery on one link, UDP to the
...                 addresses from the other. To copy: each test has addresses of its own, which the device has not met.
...
...                 | robot suites/stateful/nd_learning.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable CAPACITY:16384 suites/stateful
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Everything
Test Tags           nd


*** Variables ***
${TESTBED}          embedded/nd-router
${RATE}             450 entries/s    # that have to be learned
${CAPACITY}         900    # addresses that it has to know at once; Linux knows 1,024, its other neighbours included
${MOST}             2001:2:0:1::5:0-2001:2:0:1::5:4b0    # of which the first so many are tried
${FORGOTTEN}        20 s    # after which nobody is known any more who does not answer
${KEPT}             3 s    # for which at least it is known


*** Test Cases ***
Neighbours Are Resolved Fast Enough
    [Documentation]    The device asks for the address of each frame, and is answered.
    ${result} =    Measure Neighbour Learning Rate    2001:2:0:1::1:0-2001:2:0:1::1:ff    kind=ANSWER
    Log    ${result}
    Verify All Learned
    Verify Learning Rate Above    ${RATE}

Questions Teach As Well
    [Documentation]    A router knows who has asked it (RFC 4861 section 7.2.3).
    Measure Neighbour Learning Rate
    ...    2001:2:0:1::2:0-2001:2:0:1::2:ff
    ...    rate=5 k/s
    ...    probe_rate=5 k/s
    ...    kind=REQUEST
    Verify All Learned

Unsolicited Advertisements Teach A Router
    [Documentation]    Of an address that has just been assigned (RFC 9131).
    Measure Neighbour Learning Rate
    ...    2001:2:0:1::3:0-2001:2:0:1::3:ff
    ...    rate=5 k/s
    ...    probe_rate=5 k/s
    ...    kind=GRATUITOUS
    Verify All Learned

The Silent Are Forgotten In Time
    [Documentation]    From the solicitation until frames to a neighbour who never answers are dropped.
    [Tags]    nd-ageing
    ${result} =    Measure Ageing Time    2001:2:0:1::4:1    kind=REQUEST
    Log    ${result}
    Verify Ageing Time Above    ${KEPT}
    Verify Ageing Time Below    ${FORGOTTEN}

The Cache Holds Enough
    [Documentation]    The highest number of addresses that are all known at once, exactly.
    [Tags]    nd-capacity
    Sleep    6 s    # Linux makes room for new neighbours after 5 s: those of other tests are forgotten
    ${result} =    Find Neighbour Cache Capacity    ${MOST}    lowest=${CAPACITY}    kind=REQUEST
    Log    ${result}
    Verify Neighbour Cache Capacity Above    ${CAPACITY}
