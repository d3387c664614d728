*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A switch is monitored in short intervals while a suite changes rates, and stops and starts traffic.

Library           TesterLibrary    testbed=tofino-fake

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Rates Change While It Is Monitored
    [Documentation]    Every frame is in one interval, whatever is changed meanwhile.
    Start Both
    Start Monitoring    interval=50 ms
    FOR    ${rate}    IN    300    100    400    50    200
        Set Rate    north    ${rate} pps
        Sleep    0.1 s
    END
    ${stopped} =    Stop Traffic
    Nothing Is Lost    ${stopped}

Traffic Beside It Is Stopped And Started
    [Documentation]    One of two handles is monitored, and goes on.
    Start Both
    ${north} =    Stop Traffic    north
    Start Monitoring    interval=50 ms
    FOR    ${_}    IN RANGE    3
        Start Traffic    north
        Sleep    0.1 s
        ${north} =    Stop Traffic    north
        Should Be Equal As Integers    ${north.lost}    0
    END
    ${south} =    Stop Traffic
    Nothing Is Lost    ${south}


*** Keywords ***
Start Both
    [Documentation]    Each by itself.
    Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=200 pps
    Create Stream    south    tx=p2    rx=p1    frame_size=128    rate=200 pps
    Start Traffic    north
    Start Traffic    south

Nothing Is Lost
    [Documentation]    In the end and in every interval; a fake switch keeps rates too badly for verdicts.
    [Arguments]    ${stopped}
    Should Be Equal As Integers    ${stopped.lost}    0
    ${result} =    Stop Monitoring
    Should Be Equal    ${result.method.name}    VERSION
    Should Not Be Empty    ${result.intervals}
    Should Be True    0 < $result.sent <= $stopped.sent
    FOR    ${interval}    IN    @{result.intervals}
        Should Be Equal As Integers    ${interval.lost}    0
    END
