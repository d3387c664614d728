*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A device that loses 25 frames of each trial, whatever its load: nothing is judged by a search.

Library           TesterLibrary    testbed=simulated/warm-up

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=64


*** Test Cases ***
Throughput
    [Documentation]    It is not 0: the search ends after four trials, and the verdict is INCONCLUSIVE.
    ${result} =    Find Throughput    north
    Should Be Equal    ${result.limited_by.name}    UNSTABLE
    Length Should Be    ${result.trials}    4
    Verify Throughput Above    1 %    ${result}

No Check
    [Documentation]    It is switched off: all loads lose, and the device fails.
    ${result} =    Find Throughput    north    stability=0    resolution=50 %
    Should Be Equal    ${result.limited_by.name}    DEVICE
    Run Keyword And Expect Error    FAIL: throughput of north*    Verify Throughput Above    1 %    ${result}

Goals
    [Documentation]    The same in a search of the NDR.
    Find NDR And PDR    north
    Verify Goal Above    NDR    1 %

Bursts
    [Documentation]    None is searched.
    Find Maximum Burst    north
