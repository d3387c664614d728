*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What a device does with frames while they flow: loss interval by interval, delay with and without
...                 timestamps, order, outages, flows. To copy: each test stands by itself, each bound is a variable.
...
...                 | robot suites/measurement
...                 | robot --variable TESTBED:my/testbed.yaml --variable DELAY:1ms suites/measurement
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open A Calibrated Tester
Suite Teardown      Close Tester
Test Tags           measurement


*** Variables ***
${TESTBED}          embedded/l2-bridge
${PROFILE_NAME}     quick    # durations and repetitions where a test does not say
${CABLE}            embedded/loopback    # a testbed of the same machine with a cable in place of the device
${CALIBRATION}      ${OUTPUT_DIR}/calibration.json
${RATE}             20 kpps
${DURATION}         2 s
${INTERVAL}         500 ms
${DELAY}            20 ms    # of the mean frame
${TAIL}             100 ms    # of all frames but one in 10,000
${OUTAGE}           50 ms


*** Test Cases ***
Nothing Is Lost In Any Interval
    [Documentation]    A frame is counted in the interval in which it was sent, whenever it arrives (norma section 6.1).
    [Tags]    monitoring
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Start Traffic    north
    Start Monitoring    interval=${INTERVAL}
    Sleep    ${DURATION}
    ${trial} =    Stop Traffic
    Verify Loss Below    0    ${trial}
    ${result} =    Stop Monitoring
    Should Be Equal As Strings    ${result.method}    Method.VERSION    ${result.reason}
    Verify Interval Loss Below    0    ${result}

The Version Is Where The Author Wants It
    [Documentation]    For devices that write over IPv4 identifications: a bit of the DSCP.
    [Tags]    monitoring
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Set Version Field    north    IP.tos    bit=5
    Start Traffic    north
    Start Monitoring    interval=${INTERVAL}
    Sleep    ${DURATION}
    Stop Traffic
    Verify Interval Loss Below    0

Mean Delay Without A Timestamp
    [Documentation]    Blind: from when frames left and when frames arrived (norma section 6.2), with the most by which
    ...    lost frames can make it wrong. Nothing is written into the payload.
    [Tags]    delay
    Create Stream    call    tx=p1    rx=p2    frame_size=218    rate=${RATE}    headers=Ether / IP / UDP(dport=5004)
    ...    signature=False
    Set Payload    call    random
    ${result} =    Measure Blind Delay    call    duration=${DURATION}
    Log    ${result.mean_ns} ns, at most ${result.bound_ns} ns off
    Verify Delay Below    ${DELAY}

Percentiles Of Every Frame
    [Documentation]    In band: each frame carries when it left; none is sampled.
    [Tags]    delay
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Measure Latency    north    duration=${DURATION}    repetitions=1
    Get Latency    p50    <    ${DELAY}
    Verify Latency Below    ${TAIL}    percentile=99.99

Frames Keep Their Order
    [Documentation]    None overtaken (RFC 4737), none twice, none damaged, none on another port.
    [Tags]    order
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Measure Reordering    north    duration=${DURATION}
    Verify Reordering Below    0
    Get Frame Order    DUPLICATED    ==    0
    Get Frame Order    CORRUPTED    ==    0
    Get Frame Order    MISROUTED    ==    0

No Outage
    [Documentation]    The longest gap in which frames are missing (RFC 6201). Here nothing happens to the device: do to
    ...    it between Start Traffic and Stop Traffic what it is to survive.
    [Tags]    outage
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Start Traffic    north
    Sleep    ${DURATION}
    ${trial} =    Stop Traffic
    Verify Outage Below    ${OUTAGE}    ${trial}

Every Flow Arrives
    [Documentation]    A thousand flows, each counted by itself.
    [Tags]    flows
    Create Stream    north    tx=p1    rx=p2    rate=${RATE}
    Set Field Sweep    north    UDP.sport    10000    10999
    Set Flow Counting    north
    Measure Loss    north    duration=${DURATION}
    Get Flow Statistics    north    flows    ==    1000
    Get Flow Statistics    north    silent    ==    0
    Get Flow Statistics    north    lossy    ==    0


*** Keywords ***
Open A Calibrated Tester
    [Documentation]    Its own delay is taken off every delay that is measured from here on; without a cable of the
    ...    same kind, delays are as the tester sees them.
    Open Tester
    TRY
        ${calibration} =    Calibrate Tester    64    1518    over=${CABLE}    duration=1 s    file=${CALIBRATION}
        Log    ${calibration}
    EXCEPT    AS    ${reason}
        Log    The tester is not calibrated: ${reason}    WARN
    END
