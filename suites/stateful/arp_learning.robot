*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What a router learns of its neighbours (norma section 8): ARP on one link, UDP to the addresses
...                 that were announced on the other. To copy: each test stands by itself, and has addresses of its
...                 own, which the device has not met yet.
...
...                 | robot suites/stateful/arp_learning.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable CAPACITY:16384
...                 |     --variable MOST:198.18.128.1-198.18.200.0 suites/stateful/arp_learning.robot
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Everything
Test Tags           arp


*** Variables ***
${TESTBED}          embedded/arp-router
${RATE}             450 entries/s    # that have to be learned
${CAPACITY}         900    # addresses that it has to know at once; Linux knows 1,024, its other neighbours included
${MOST}             198.18.128.1-198.18.132.176    # of which the first so many are tried
${FORGOTTEN}        20 s    # after which nobody is known any more who does not answer
${KEPT}             3 s    # for which at least it is known
${FLOOD}            2000 pps    # of questions about other hosts
${ANNOUNCED}        5 k/s    # announcements of addresses that have to be learned, and frames to them


*** Test Cases ***
Neighbours Are Learned Fast Enough
    [Documentation]    Each address is announced by a reply, again and again, until frames to it arrive.
    ${result} =    Measure Neighbour Learning Rate
    ...    198.18.64.1-198.18.65.0
    ...    rate=${ANNOUNCED}
    ...    probe_rate=${ANNOUNCED}
    Log    ${result}
    Verify All Learned
    Verify Learning Rate Above    ${RATE}

Questions Teach As Well
    [Documentation]    A router knows who has asked it (RFC 826), whatever it does with replies.
    Measure Neighbour Learning Rate
    ...    198.18.66.1-198.18.66.200
    ...    rate=${ANNOUNCED}
    ...    probe_rate=${ANNOUNCED}
    ...    kind=REQUEST
    Verify All Learned

The Silent Are Forgotten And Those Who Answer Are Not
    [Documentation]    Ageing: the device asks again, and forwards on to those who answer.
    [Tags]    arp-ageing
    Start ARP Responder    alive    198.18.68.1-198.18.68.50    port=p1
    Send Neighbour Announcements    198.18.68.1-198.18.68.50
    Send Neighbour Announcements    198.18.69.1-198.18.69.50
    Get Known Neighbours    198.18.69.1-198.18.69.50    ==    50
    Wait Until Keyword Succeeds    ${FORGOTTEN}    1 s    Get Known Neighbours    198.18.69.1-198.18.69.50    ==    0
    Get Known Neighbours    198.18.68.1-198.18.68.50    ==    50

The Silent Are Forgotten In Time
    [Documentation]    From the announcement until frames to a neighbour who never answers are dropped.
    [Tags]    arp-ageing
    ${result} =    Measure Ageing Time    198.18.73.1    kind=REQUEST
    Log    ${result}
    Verify Ageing Time Above    ${KEPT}
    Verify Ageing Time Below    ${FORGOTTEN}

Gratuitous ARP Moves An Address
    [Documentation]    Another MAC address takes over, as after a failover (RFC 5227 section 3).
    Send Neighbour Announcements    198.18.70.1-198.18.70.50    mac=02:00:00:00:aa:01
    Sleep    1100 ms    # Linux believes the first one for a second
    Send Neighbour Announcements    198.18.70.1-198.18.70.50    kind=GRATUITOUS    mac=02:00:00:00:aa:02
    Start Capture    moved    port=p1    direction=RECEIVED    filter=udp and ether dst 02:00:00:00:aa:02
    Get Known Neighbours    198.18.70.1-198.18.70.50    ==    50
    ${file} =    Stop Capture    moved
    Log    ${file}
    Get Capture Statistics    moved    MATCHED    >=    100

A Conflict Costs No Address
    [Documentation]    Two claim the same addresses again and again: each goes to one of them.
    FOR    ${_}    IN RANGE    5
        Send Neighbour Announcements    198.18.71.1-198.18.71.50    mac=02:00:00:00:aa:01
        Send Neighbour Announcements    198.18.71.1-198.18.71.50    mac=02:00:00:00:aa:02
        Get Known Neighbours    198.18.71.1-198.18.71.50    ==    50
    END

A Flood Of Questions Leaves The Known Alone
    [Documentation]    Broadcasts from strangers about other hosts take no room; frames go on to those who are known.
    Start ARP Responder    alive    198.18.72.1-198.18.72.50    port=p1
    Send Neighbour Announcements    198.18.72.1-198.18.72.50
    Create Stream
    ...    flood
    ...    rate=${FLOOD}
    ...    headers=Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, pdst="198.18.200.1")
    ...    signature=False    # a switch has no place for one in ARP
    Set Field Sweep    flood    ARP.psrc    198.18.210.1    198.18.250.0
    Start Traffic    flood
    FOR    ${_}    IN RANGE    3
        Sleep    1 s
        Get Known Neighbours    198.18.72.1-198.18.72.50    ==    50
    END

The Cache Holds Enough
    [Documentation]    The highest number of addresses that are all known at once, exactly.
    [Tags]    arp-capacity
    Sleep    6 s    # Linux makes room for new neighbours after 5 s: those of other tests are forgotten
    ${result} =    Find Neighbour Cache Capacity    ${MOST}    lowest=${CAPACITY}
    Log    ${result}
    Verify Neighbour Cache Capacity Above    ${CAPACITY}
