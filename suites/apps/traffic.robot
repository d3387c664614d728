*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What passes a device, counted packet by packet: throughput, delay, bursts, and who sends most.
...                 To copy: each test stands by itself.
...
...                 | robot suites/apps/traffic.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable RATE:1Gbps suites/apps/traffic.robot
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}          embedded/l2-bridge
${PROFILE_NAME}     quick    # durations and repetitions where a test does not say
${RATE}             20 Mbps
${PACKETS}          10 kpps    # where packets are counted, not bytes
${TALK}             2 kpps    # of all quiet senders together, and of the heavy one
${DURATION}         1 s
${DELAY}            20 ms    # of 99 in 100 frames
${SILENCE}          100 ms    # longest gap between packets
${BURST}            90    # frames in one millisecond, which the device may send at most
${HEAVY}            10.0.0.1    # who sends most
${SENDERS}          10.0.0.0/28    # who may send


*** Test Cases ***
Throughput
    [Documentation]    HyperTester table 3: the bytes that arrive are those that left.
    Create Stream    north    tx=p1    rx=p2    frame_size=256    rate=${RATE}
    Sum By    sent    keys=UDP.dport    port=p1    direction=transmitted    filter=UDP.dport == 7
    Sum By    received    keys=UDP.dport    port=p2    filter=UDP.dport == 7
    Measure Loss    north    duration=${DURATION}
    ${bytes} =    Get Query Result    sent    value    key=7
    Get Query Result    received    value    ==    ${bytes}    key=7
    Verify Throughput Above    ${RATE}    within=1 %

Delay
    [Documentation]    HyperTester table 5: how long frames take.
    Create Stream    north    tx=p1    rx=p2    frame_size=256    rate=${PACKETS}
    Measure Latency    north    duration=${DURATION}
    Verify Latency Below    ${DELAY}    percentile=99

Longest Silence
    [Documentation]    How long no frame arrives while some are sent.
    Create Stream    north    tx=p1    rx=p2    frame_size=256    rate=${PACKETS}
    Sum By    gaps    keys=IP.dst    value=gap    function=max    port=p2    streams=north
    Measure Loss    north    duration=${DURATION}
    @{worst} =    Get Query Result    gaps    top=1
    Verify Value    ${worst[0].value} ns    <=    ${SILENCE}    of=longest silence

No Microburst Leaves The Device
    [Documentation]    Frames of each millisecond are counted apart: a device that collects frames and sends them at
    ...    once is found though no frame is lost.
    Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=${PACKETS}
    Count Packets    arrivals    port=p2    streams=north    interval=1 ms
    Measure Loss    north    duration=${DURATION}
    @{largest} =    Get Query Result    arrivals    top=1
    Verify Value    ${largest[0].packets}    <=    ${BURST}    of=largest burst

The Top Talker Is Known
    [Documentation]    Of ten senders one sends as much as the others together.
    Create Stream    others    tx=p1    rx=p2    rate=${TALK}
    Set Field Sweep    others    IP.src    10.0.0.2    10.0.0.10
    Create Stream    heavy    tx=p1    rx=p2    rate=${TALK}    headers=Ether / IP(src=${HEAVY}) / UDP
    Sum By    talkers    keys=IP.src    port=p2    filter=UDP.dport == 7 and IP.src == ${SENDERS}
    Measure Loss    others    heavy    duration=${DURATION}
    Get Query Result    talkers    keys    ==    ${HEAVY}    top=1
    Get Query Result    talkers    value    >    0    key=10.0.0.10
