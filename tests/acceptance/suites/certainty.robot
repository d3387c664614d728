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
