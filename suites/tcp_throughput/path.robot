*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 6349 in its order: path MTU, bottleneck bandwidth, then transfers over TCP. To copy: the
...                 variables say what the provider of the path promises.
...
...                 | robot suites/tcp_throughput
...                 | robot --variable TESTBED:my/testbed.yaml --variable "BOTTLENECK:1 Gbps" suites/tcp_throughput
Metadata            Testbed    ${TESTBED}
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}              embedded/long-line
${PROFILE_NAME}         tcp-throughput
${SERVER}               198.18.1.3:5001    # of the tester, at p2
${BOTTLENECK}           20 Mbps    # of frames, FCS included
${MTU}                  1500    # bytes
${OFFERED}              20 Mbps    # of full frames: the promised rate has to be carried without loss
@{WINDOWS}              0.25x    0.5x    0.75x    1x    2x    # of the bandwidth-delay product
${PAYLOAD}              17 Mbps    # of payload, with the widest window
${RATIO}                1.1x    # of the ideal transfer time, with the widest window
${EFFICIENCY}           99.9 %    # of the payload sent is not sent again
${BUFFER_DELAY}         1.2x    # of the baseline round trip: a window of 2x keeps the queue half full
${CONNECTIONS}          4


*** Test Cases ***
Packets Of The Promised MTU Get Through
    [Documentation]    Section 3.1: by probes, whatever the path says of packets that are too long.
    [Tags]    mtu
    Create Stream    probe    rate=200 pps
    Find Path MTU    probe
    Verify Path MTU Above    ${MTU}

The Bottleneck Carries What Is Promised
    [Documentation]    Section 3.2.2: full frames at the promised rate.
    [Tags]    bottleneck
    Create Stream    full    frame_size=1518    rate=${OFFERED}
    Measure Loss    full
    Verify Loss Below    0
    Verify Throughput Above    ${OFFERED}    within=0.1 %

One Connection Fills The Path
    [Documentation]    Sections 3.3 and 4: a transfer for each window; the widest one is judged.
    [Tags]    transfer
    Transfer Is As Promised    1    @{WINDOWS}

Several Connections Share The Path
    [Documentation]    Section 3.4: the same window and payload, over several connections at once.
    [Tags]    transfers
    Transfer Is As Promised    ${CONNECTIONS}    2x


*** Keywords ***
Transfer Is As Promised
    [Documentation]    Opens both ends, measures, and judges the four figures of section 4.
    [Arguments]    ${connections}    @{windows}
    Start TCP Responder    sink    port=p2    servers=${SERVER}
    Start TCP Clients    users    ${SERVER}    flow_size=0    rate=1/s
    ${result} =    Measure TCP Throughput    users    ${BOTTLENECK}    @{windows}    connections=${connections}
    Log    ${result}
    Verify TCP Throughput Above    ${PAYLOAD}
    Verify TCP Transfer Time Ratio Below    ${RATIO}
    Verify TCP Efficiency Above    ${EFFICIENCY}
    Verify Buffer Delay Below    ${BUFFER_DELAY}
