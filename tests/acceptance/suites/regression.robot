*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Values beside those of an earlier run, on a device that forwards 60 % of line rate.

Library           TesterLibrary    testbed=simulated/breakpoint

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=64


*** Variables ***
${BASELINE}       ${EMPTY}
${BURST}          3 ms
${LONG}           0.2 s


*** Test Cases ***
Throughput
    [Documentation]    The device of both runs is the same.
    Find Throughput    north    duration=${LONG}    scout=0.2 s    resolution=5 %
    Verify Throughput Above    50 %
    Compare

Largest Burst
    [Documentation]    The second run has a greater one.
    Verify Value    ${BURST}    <=    5 ms    of=largest burst
    Compare


*** Keywords ***
Compare
    [Documentation]    Only the second run has a baseline.
    IF    $BASELINE    Verify No Regression    baseline=${BASELINE}
