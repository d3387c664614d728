*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RoCEv2 of the Linux kernel (rdma_rxe) loses chosen packets, and goes back to each of them.
...
...               Both ends are virtual machines, whose stack is not the tester's: what the tester says of it is held
...               against what it counts itself. Without QEMU, and what the machines are made of, it is skipped.

Library           TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Put The Tester In The Way

Test Tags         inline    roce    guests


*** Variables ***
${TESTBED}         embedded/rdma-guests
${PROFILE_NAME}    quick    # durations and repetitions where a test does not say
${RESPONDER}       198.18.1.3
${PATIENT}         21    # the exponent of a timeout that never ends here, 8.6 s
${SHORT}           18    # that of one that is waited for, 1.1 s
&{REQUEST}         headers=IP / UDP(dport=4791)    flow=1    direction=forward
&{RESPONSE}        headers=IP / UDP(dport=4791)    flow=1    direction=backward
# Of ten messages with ten packets each, the fifth of the second one.
&{DATA}            &{REQUEST}    number=15    data_only=True


*** Test Cases ***
Every Packet Arrives
    [Documentation]    The path itself costs no packet.
    ${found} =    Exchange
    Should Be Equal As Integers    ${found.packets}    100
    Should Be Equal As Integers    ${found.retransmitted}    0
    Get Path Statistics    wire    lost    ==    0

A Packet Is Dropped
    [Documentation]    The receiver asks for it once; it and all behind it in its message are sent again.
    Drop Packet    wire    &{DATA}
    ${found} =    Exchange
    Went Back    ${found}    packets=6    timeouts=0    naks=1
    Verify NAK Latency Below    wire    1 s
    Verify Reaction Latency Below    wire    1 s

A Packet Of A Send Is Dropped
    [Documentation]    The same where the receiver takes messages, not memory.
    Drop Packet    wire    &{DATA}
    ${found} =    Exchange    ib_send_bw
    Went Back    ${found}    packets=6    timeouts=0    naks=1
    Get Host Counter    server    rdma_recvs    ==    10    source=rdma rxe0

A Packet Is Dropped While Eight Messages Are On Their Way
    [Documentation]    All of them behind it are sent again.
    Drop Packet    wire    &{DATA}
    ${found} =    Exchange    depth=8
    Went Back    ${found}    timeouts=0    naks=1

That Packet And Its First Retransmission
    [Documentation]    It is asked for once only, so the second loss takes a timeout.
    Drop Packet    wire    &{DATA}    iteration=1
    Drop Packet    wire    &{DATA}    iteration=2
    ${found} =    Exchange    timeout=${SHORT}
    Went Back    ${found}    packets=12    timeouts=1    naks=1
    Get Path Statistics    wire    dropped    ==    2
    Verify Recovery Below    wire    10 s

The Last Packet Of A Message
    [Documentation]    Nothing comes behind it, so nobody asks for it. Nothing of its message was acknowledged.
    Drop Packet    wire    &{REQUEST}    number=20    data_only=True
    ${found} =    Exchange    timeout=${SHORT}
    Went Back    ${found}    packets=10    timeouts=1    naks=0
    Get Host Counter    server    duplicate_request    ==    9    source=rdma rxe0

The Request To Go Back
    [Documentation]    It is not repeated: the sender's timer ends.
    Drop Packet    wire    &{DATA}
    Drop Packet    wire    &{RESPONSE}    number=2
    ${found} =    Exchange    timeout=${SHORT}
    Went Back    ${found}    packets=10    timeouts=1    naks=0
    Get Host Counter    server    out_of_seq_request    ==    1    source=rdma rxe0

An Acknowledgement
    [Documentation]    All of its message comes again, and is not taken again.
    Drop Packet    wire    &{RESPONSE}    number=2
    ${found} =    Exchange    timeout=${SHORT}
    Went Back    ${found}    packets=10    timeouts=1    naks=0
    Get Host Counter    server    duplicate_request    ==    10    source=rdma rxe0

A Corrupted Packet
    [Documentation]    Only its ICRC tells, as the kernel sends no checksum of UDP: its receiver does not count it.
    Corrupt Packet    wire    &{DATA}    bit=600    checksum=keep
    ${found} =    Exchange
    Went Back    ${found}    packets=6    timeouts=0    naks=1
    Get Host Counter    server    rcvd_pkts    ==    105    source=rdma rxe0

A Response To A READ
    [Documentation]    Its requester asks for the rest of it.
    Drop Packet    wire    &{RESPONSE}    number=15    data_only=True
    ${found} =    Exchange    ib_read_bw    timeout=${SHORT}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be Equal As Integers    ${found.lost}    1
    Should Be Equal As Integers    ${found.requests_again}    1
    Should Be Equal As Integers    ${found.retransmitted}    6

A Marked Packet
    [Documentation]    It is taken as any other; the log has the notifications.
    Mark Packet    wire    &{DATA}
    ${found} =    Exchange
    Verify All Events Fired
    Should Be Equal As Integers    ${found.retransmitted}    0
    ${told} =    Analyse Congestion Notifications    wire
    Should Be Equal As Integers    ${told.marked}    1

More Losses Than Retries
    [Documentation]    Seven retries, which the program asks for, are no limit to rdma_rxe: it goes on.
    Blackhole Path    wire    3 s    packets=flow    &{DATA}
    ${found} =    Exchange    timeout=14
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be True    $found.timeouts > 7
    Get Host Counter    client    retry_exceeded_err    ==    0    source=rdma rxe0


*** Keywords ***
Put The Tester In The Way
    [Documentation]    The devices are made anew, so that both ends call their next queue pair by the same number.
    Create Path    wire    between=p1,p2
    FOR    ${host}    IN    client    server
        Run On Host    ${host}    sh -c "rdma link delete rxe0 && rdma link add rxe0 type rxe netdev eth0"
        Set Counter Source    ${host}    rdma rxe0
    END

Exchange
    [Documentation]    The client moves ten messages of ten packets each. Returns what was sent again.
    [Arguments]    ${program}=ib_write_bw    ${depth}=1    ${timeout}=${PATIENT}
    Start Trace    wire
    Start Path    wire
    Run Both Ends    ${program}    -t    ${depth}    -u    ${timeout}
    Stop Trace    wire
    Verify Trace Complete    wire
    Both Ends Count What Was On The Wire
    ${found} =    Analyse Go Back N    wire
    RETURN    ${found}

Run Both Ends
    [Documentation]    The client's program knows the other one's address.
    [Arguments]    ${program}    @{options}
    VAR    @{transfer} =    -d    rxe0    -x    1    -F    -m    1024    -s    10000    -n    10    @{options}
    ${server} =    Start On Host    server    ${program}    @{transfer}    --
    Wait Until Keyword Succeeds    30 s    200 ms    Server Listens
    Run On Host    client    ${program}    @{transfer}    --    ${RESPONDER}
    Stop On Host    ${server}    wait=30 s

Server Listens
    [Documentation]    Its queue pair is there as well by then.
    Run On Host    server    sh -c "netstat -ltn | grep -q :18515"

Both Ends Count What Was On The Wire
    [Documentation]    Packets of RoCEv2 alone: programs talk over TCP, too.
    Verify Host Counter    client    sent_pkts    roce_sent    forward    source=rdma rxe0
    Verify Host Counter    client    rcvd_pkts    roce_received    backward    source=rdma rxe0
    Verify Host Counter    server    sent_pkts    roce_sent    backward    source=rdma rxe0
    Verify Host Counter    server    rcvd_pkts    roce_received    forward    source=rdma rxe0

Went Back
    [Documentation]    It was right, and as often as it had to be; the NAKs are those that arrived.
    [Arguments]    ${found}    ${timeouts}    ${naks}    ${packets}=${None}
    Verify All Events Fired
    Verify Go Back N    wire
    Should Be Equal As Integers    ${found.timeouts}    ${timeouts}
    Should Be Equal As Integers    ${found.naks_arrived}    ${naks}
    IF    $packets is not None
        Should Be Equal As Integers    ${found.retransmitted}    ${packets}
    END
    Get Host Counter    client    rcvd_seq_err    ==    ${naks}    source=rdma rxe0
