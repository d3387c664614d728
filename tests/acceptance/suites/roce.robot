*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RoCEv2 with an end that breaks a rule: the trace of the path shows it.

Library           TesterLibrary    testbed=embedded/path-endpoints

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wire    between=p3,p4


*** Variables ***
${SELECTIVE}      ${EMPTY}    # a requester that sends again only what was lost
${MISTAKEN}       ${EMPTY}    # a responder that asks for the packet behind the missing one


*** Test Cases ***
A Requester That Sends Only One Packet Again
    [Documentation]    The receiver has dropped what came behind the lost packet.
    Drop Packet    wire    flow=1    number=20    data_only=True    direction=forward
    Send A Message    requester=${SELECTIVE}
    Run Keyword And Expect Error
    ...    FAIL: number of violations of go-back-N on path wire is * the sender left out packets *
    ...    Verify Go Back N    wire

A Responder That Asks For Another Packet
    [Documentation]    What is missing never comes, and the queue pair fails.
    Drop Packet    wire    flow=1    number=20    data_only=True    direction=forward
    Send A Message    responder=${MISTAKEN}
    Get Session Statistics    compute    timed_out    ==    ${1}
    Run Keyword And Expect Error
    ...    FAIL: number of violations of go-back-N on path wire is * the receiver asked for another packet *
    ...    Verify Go Back N    wire

Both Verbs In One Trace
    [Documentation]    Whole packets, of a length to pad: the test looks at their CRCs.
    Mark Packet    wire    flow=1    number=5    data_only=True    direction=forward
    Start Trace    wire    file=whole.pcapng    snap_length=2000
    Start Path    wire
    Start RoCE Responder    storage    queue_pairs=3    initial_psn=16777210
    Move Messages    WRITE    17
    Move Messages    READ    18
    Stop Trace    wire
    Verify All Events Fired
    Get Session Statistics    storage    bytes    ==    ${15005}
    Get Session Statistics    READ    bytes    ==    ${15005}

Frames That Are Too Long
    [Documentation]    Nothing is started.
    Run Keyword And Expect Error
    ...    *responder 'storage': template 'response_first' of roce-responder has 4,096 bytes of body*1,518 at most*
    ...    Start RoCE Responder    storage    mtu=4096
    Run Keyword And Expect Error
    ...    *mtu=1500 is no path MTU of RoCE; give 256, 512, 1024, 2048, 4096*
    ...    Start RoCE Responder    storage    mtu=1500
    Run Keyword And Expect Error
    ...    *depth=2: a queue pair has one READ on its way at a time; leave it out*
    ...    Start RoCE Requester    compute    198.18.1.3    verb=READ    depth=2


*** Keywords ***
Send A Message
    [Documentation]    One of 98 packets.
    [Arguments]    ${requester}=roce-requester    ${responder}=roce-responder
    Start Trace    wire
    Start Path    wire
    Start RoCE Responder    storage    protocol=${responder}
    Start RoCE Requester
    ...    compute
    ...    198.18.1.3
    ...    messages=1
    ...    message_size=100 kB
    ...    gap=20 us
    ...    ack_timeout=20 ms
    ...    retries=3
    ...    protocol=${requester}
    Wait For Clients    compute
    Stop Clients    compute
    Stop Trace    wire
    Verify Trace Complete    wire
    Verify All Events Fired

Move Messages
    [Documentation]    Five messages of three packets, around the highest PSN.
    [Arguments]    ${verb}    ${qpn}
    Start RoCE Requester
    ...    ${verb}
    ...    198.18.1.3
    ...    verb=${verb}
    ...    qpn=${qpn}
    ...    initial_psn=16777210
    ...    message_size=3001
    ...    messages=5
    Wait For Clients    ${verb}
    Stop Clients    ${verb}
    Get Session Statistics    ${verb}    transactions    ==    ${5}
    Get Session Statistics    ${verb}    retransmitted    ==    ${0}
