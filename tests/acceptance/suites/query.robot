*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Queries and triggers on a device with a planted truth, where they end, and what they say of
...                 mistakes.
Library             Collections
Library             TesterLibrary    testbed=embedded/web-hosts
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Create A Scan


*** Variables ***
${ALIVE}            ${EMPTY}    # addresses with commas between them, which the test gives


*** Test Cases ***
Exactly Those That Live Are Found
    [Documentation]    Count and keys are those of the testbed file.
    VAR    @{planted} =    @{{$ALIVE.split(",")}}
    Count Distinct    alive    keys=IP.src    port=p2    filter=TCP.flags == SA
    Send Traffic    scan    packets=256
    Get Query Result    alive    count    ==    37
    ${keys} =    Get Query Result    alive    keys    ==    ${planted}
    Lists Should Be Equal    ${keys}    ${planted}
    Get Query Result    alive    keys    contains    ${planted}[36]

Values Of Single Keys Are Read
    [Documentation]    A key that was not seen has 0, and a stopped query keeps what it has.
    VAR    @{planted} =    @{{$ALIVE.split(",")}}
    Count Packets    answers    port=p2    filter=TCP.flags has SA    keys=IP.src
    Send Traffic    scan    packets=256
    Get Query Result    answers    value    >=    1    key=${planted}[0]
    Get Query Result    answers    value    ==    0    key=198.18.2.255
    @{rows} =    Get Query Result    answers    table
    Length Should Be    ${rows}    37
    Stop Query    answers
    Get Query Result    answers    packets    >=    37

One That Is Missing Fails
    [Documentation]    A set that is too small is not the one that was found.
    Count Distinct    alive    keys=IP.src    port=p2    filter=TCP.flags == SA
    Send Traffic    scan    packets=256
    Get Query Result    alive    keys    ==    ${{$ALIVE.split(",")[1:]}}

Too Few Keys Are Inconclusive
    [Documentation]    With room for 30 nobody knows how many there are.
    Count Distinct    alive    keys=IP.src    port=p2    filter=TCP.flags == SA    capacity=30
    Send Traffic    scan    packets=256
    Get Query Result    alive    count    ==    30

Both Directions Are One Connection
    [Documentation]    An answer is counted with its question.
    Count Distinct    flows    keys=IP.src,IP.dst,TCP.sport,TCP.dport    port=p2    direction=both    symmetric=True
    Send Traffic    scan    packets=256
    Get Query Result    flows    count    ==    256

A Trigger Answers Each Of Them Once
    [Documentation]    The reset ends what the host would repeat.
    When Packet Arrives    resets    port=p2    filter=TCP.flags == SA    send=Ether / IP / TCP(flags=R, seq=TCP.ack)
    Count Distinct    reset    keys=IP.dst    port=p2    direction=transmitted    filter=TCP.flags == R
    Send Traffic    scan    packets=256
    Get Query Result    reset    keys    ==    ${ALIVE}
    Get Session Statistics    resets    matched    ==    37
    Stop Query

What Was Started In A Test Is Gone
    [Documentation]    A query belongs to its test.
    Run Keyword And Expect Error    *there is no query 'alive'; call Count Packets*    Get Query Result    alive

Mistakes Are Refused By Name And Change Nothing
    [Documentation]    Fields, memory, overlaps and loops; what runs goes on.
    Count Packets    one    port=p2
    Run Keyword And Expect Error    *query 'one': it counts already*    Count Packets    one
    Run Keyword And Expect Error    *query 'two': IP.scr: this IP has no field*    Count Distinct    two    keys=IP.scr
    Run Keyword And Expect Error    *MiB too much*    Count Distinct    three    keys=IPv6.src,IPv6.dst,port
    ...    capacity=33554432    interval=1 ms
    Run Keyword And Expect Error    *has a value for each IP.src*    Value Of No Key
    When Packet Arrives    first    port=p2    filter=TCP.flags has S    send=Ether / IP / TCP(flags=R)
    Run Keyword And Expect Error    *'second'*'first'*would both go off*    When Packet Arrives    second    port=p2
    ...    filter=TCP.flags has SA    send=Ether / IP / TCP(flags=R)
    Run Keyword And Expect Error    *in a loop*'third'*    When Packet Arrives    third    port=p1
    ...    filter=UDP.dport == 7    send=Ether / IP / UDP(dport=7)
    Get Query Result    one    count    >=    0


*** Keywords ***
Create A Scan
    [Documentation]    SYNs to 256 addresses, of which 37 are hosts.
    Create Stream    scan    tx=p2    rx=p1    rate=1 kpps    signature=False
    ...    headers=Ether / IP(dst=198.18.2.0) / TCP(dport=80, flags=S)
    Set Field Sweep    scan    IP.dst    198.18.2.0    198.18.2.255

Value Of No Key
    [Documentation]    Asks for the value of a query with many.
    Count Packets    many    keys=IP.src
    Get Query Result    many    value
