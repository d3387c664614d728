*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     How sure results are, and values of a suite's own, on a device that forwards 60 % of line rate.

Library           TesterLibrary    testbed=simulated/breakpoint

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=64


*** Test Cases ***
A Value Of One's Own
    [Documentation]    It is judged like all others, and units are compared with units.
    Verify Value    3000 us    <=    5 ms    of=largest burst
    Run Keyword And Expect Error    FAIL: largest burst is 5.2 ms, required <= 5 ms
    ...    Verify Value    5.2 ms    <=    5 ms    of=largest burst
    Run Keyword And Expect Error    *their units differ*
    ...    Verify Value    ${5.2}    <=    5 ms    of=largest burst

Repetitions
    [Documentation]    They agree, so that the interval is that of the resolution.
    ${result} =    Find Throughput    north    repeat=3    duration=0.2 s    scout=0.2 s    resolution=5 %
    Length Should Be    ${result.repetitions}    3
    Should Be Equal    ${result.variation}    ${0.0}
    Verify Throughput Above    55 %    ${result}
    Run Keyword And Expect Error    FAIL: throughput of north, 64 bytes is * mean of 3 repetitions *
    ...    Verify Throughput Above    70 %    ${result}
