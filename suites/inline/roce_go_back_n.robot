*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RoCEv2 loses chosen packets, and goes back to each of them.
...
...               Both ends are the tester's own, which shows what a right implementation does, in every count. A
...               NIC can take the place of one only if its queue pair numbers and first PSNs can be set to these.

Library           TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wire    between=p3,p4

Test Tags         inline    roce


*** Variables ***
${TESTBED}         embedded/path-endpoints
${PROFILE_NAME}    quick    # durations and repetitions where a test does not say
${RESPONDER}       198.18.1.3
${LOST}            15    # which data packet of a queue pair; each message has 10
${BEHIND}          ${5}    # packets that follow it in its message


*** Test Cases ***
Every Packet Arrives
    [Documentation]    The path itself costs no packet.
    ${found} =    Exchange    retransmitted=${0}    naks=${0}
    Should Be Equal As Integers    ${found.packets}    200
    Get Path Statistics    wire    lost    ==    0

A Packet Of The Second Queue Pair
    [Documentation]    The receiver asks for it once; it and all behind it in its message are sent again.
    Drop Packet    wire    flow=2    number=${LOST}    data_only=True    direction=forward
    ${found} =    Exchange    naks=${1}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be Equal As Integers    ${found.timeouts}    0
    Should Be Equal As Integers    ${found.lost}    1
    Should Be Equal As Integers    ${found.goings[0].flow}    2
    Verify NAK Latency Below    wire    100 ms
    Verify Reaction Latency Below    wire    100 ms

That Packet And Its First Retransmission
    [Documentation]    It is asked for once only, so the second loss takes a timeout.
    Drop Packet    wire    flow=2    number=${LOST}    iteration=1    data_only=True    direction=forward
    Drop Packet    wire    flow=2    number=${LOST}    iteration=2    data_only=True    direction=forward
    ${found} =    Exchange    naks=${1}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be Equal As Integers    ${found.timeouts}    1
    Get Path Statistics    wire    dropped    ==    2
    Get Session Statistics    compute    timeouts    ==    ${1}
    Verify Recovery Below    wire    1 s

The Last Packet Of A Message
    [Documentation]    Nothing comes behind it, so nobody asks for it: its timer ends.
    Drop Packet    wire    flow=1    number=10    data_only=True    direction=forward
    ${found} =    Exchange    naks=${0}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be Equal As Integers    ${found.timeouts}    1

A Corrupted Packet
    [Documentation]    Its ICRC tells, so its receiver does not take it.
    Corrupt Packet
    ...    wire
    ...    flow=2
    ...    number=${LOST}
    ...    bit=600
    ...    checksum=keep
    ...    data_only=True
    ...    direction=forward
    Exchange    naks=${1}
    Verify All Events Fired
    Verify Go Back N    wire
    Get Session Statistics    storage    malformed    ==    ${1}

A Response To A READ
    [Documentation]    The requester asks for the rest of it.
    Drop Packet    wire    flow=2    number=${LOST}    data_only=True    direction=backward
    ${found} =    Exchange    verb=READ    retransmitted=${1}    naks=${0}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be True    1 <= $found.goings[0].packets <= int($BEHIND) + 1
    Get Session Statistics    compute    out_of_sequence    >    ${0}

A Marked Packet
    [Documentation]    Its sender is told, once; nothing is sent again.
    Mark Packet    wire    flow=2    number=${LOST}    data_only=True    direction=forward
    Exchange    retransmitted=${0}    naks=${0}
    Verify All Events Fired
    Verify Congestion Notifications    wire    interval=0 s    answer=100 ms
    ${told} =    Analyse Congestion Notifications    wire
    Should Be Equal As Integers    ${told.cnps}    1
    Get Session Statistics    storage    marked    ==    ${1}
    Get Session Statistics    compute    cnps    ==    ${1}

Marks That Are Too Close To Each Other
    [Documentation]    Two of three lie within the least interval between notifications.
    Mark Packet    wire    flow=1    number=11    data_only=True    direction=forward
    Mark Packet    wire    flow=1    number=12    data_only=True    direction=forward
    Mark Packet    wire    flow=1    number=100    data_only=True    direction=forward
    Exchange    retransmitted=${0}    naks=${0}    cnp_interval=40 ms    gap=1 ms
    Verify All Events Fired
    Verify Congestion Notifications    wire    interval=40 ms    answer=30 ms    tolerance=20 ms
    Get Session Statistics    storage    marked    ==    ${3}
    Get Session Statistics    compute    cnps    ==    ${2}


*** Keywords ***
Exchange
    [Documentation]    Two queue pairs write, or read, ten messages of ten packets each. Returns what was sent again.
    [Arguments]    ${naks}    ${retransmitted}=${NONE}    ${verb}=WRITE    ${cnp_interval}=4 us    ${gap}=20 us
    Send Messages    ${verb}    ${cnp_interval}    ${gap}
    ${found} =    Analyse Go Back N    wire    requester=compute    responder=storage
    Get Session Statistics    compute    finished    ==    ${2}
    Get Session Statistics    compute    transactions    ==    ${20}
    Get Session Statistics    storage    naks    ==    ${naks}
    IF    $retransmitted is not None
        Get Session Statistics    compute    retransmitted    ==    ${retransmitted}
    END
    RETURN    ${found}

Send Messages
    [Documentation]    Each packet of both queue pairs is in the trace.
    [Arguments]    ${verb}    ${cnp_interval}    ${gap}
    Start Trace    wire
    Start Path    wire
    Start RoCE Responder    storage    queue_pairs=2    cnp_interval=${cnp_interval}    gap=20 us
    Start RoCE Requester    compute    ${RESPONDER}    queue_pairs=2    verb=${verb}    gap=${gap}
    Wait For Clients    compute
    Stop Clients    compute
    Stop Trace    wire
    Verify Trace Complete    wire
