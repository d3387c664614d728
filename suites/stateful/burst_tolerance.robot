*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A shaper and bursts at two and a half times their average rate (norma section 8, the
...                 traffic manager): it drops what token-bucket arithmetic says. To copy: each test stands by itself.
...
...                 | robot suites/stateful/burst_tolerance.robot
...                 | robot --variable TESTBED:my/testbed.yaml --variable SHAPED:1Gbps --variable AVERAGE:500Mbps
...                 |       suites/stateful/burst_tolerance.robot
Metadata            Testbed    ${TESTBED}
Resource            ../../resources/stateful.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Traffic
Test Tags           burst


*** Variables ***
${TESTBED}          embedded/shaper
${SHAPED}           20 Mbps    # of frames without FCS: the rate of the device's token bucket,
${BURST}            60 kB    # what it lets through at once,
${QUEUE}            60 kB    # and what waits for it at most
${AVERAGE}          10 Mbps    # of the bursts, half of what is let through
${PEAK}             2.5x    # of the average
${FRAME_SIZE}       1518
${SHORT}            30    # frames of a burst that bucket and queue hold,
${SHORT_TIME}       2 s    # and how long such bursts are sent
${LONG}             6000    # frames of one that they do not hold
${LONG_TIME}        12 s    # two bursts of 2.9 s, and a pause of 4.4 s
${WITHIN}           1 %    # of the predicted loss


*** Test Cases ***
Short Bursts Are Not Lost
    [Documentation]    What the bucket and the queue hold is delivered, however fast it comes.
    Create Stream    sync    frame_size=${FRAME_SIZE}    rate=${AVERAGE}
    Set Burst Pattern    sync    packets=${SHORT}    peak=${PEAK}
    Start Traffic    sync
    Start Monitoring    interval=500 ms
    Sleep    ${SHORT_TIME}
    ${trial} =    Stop Traffic
    Verify Interval Loss Below    0
    Verify Token Bucket Loss    ${trial}    rate=${SHAPED}    burst=${BURST}    queue=${QUEUE}    within=0

Long Bursts Lose What Does Not Fit
    [Documentation]    The average is half of what the shaper lets through, and yet frames are lost: as many as the
    ...    burst is longer than bucket, queue and what leaves meanwhile. Another queue is found out here.
    Create Stream    sync    frame_size=${FRAME_SIZE}    rate=${AVERAGE}
    Set Burst Pattern    sync    packets=${LONG}    peak=${PEAK}
    Start Traffic    sync
    Start Monitoring    interval=500 ms
    Sleep    ${LONG_TIME}
    ${trial} =    Stop Traffic
    @{intervals} =    Get Interval Series
    FOR    ${interval}    IN    @{intervals}
        Log    ${interval}
    END
    Verify Token Bucket Loss    ${trial}    rate=${SHAPED}    burst=${BURST}    queue=${QUEUE}    within=${WITHIN}
