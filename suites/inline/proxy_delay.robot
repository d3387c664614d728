*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     The time from the bytes of a request to their appearance behind a proxy.
...
...               A proxy ends connections and makes segments of its own, so a stamp does not come through, and
...               what it drops is sent again: it has a delay, and no loss. A segment that it passes on with the
...               same payload is known again by that.

Library           TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}

Suite Setup       Open Tester
Suite Teardown    Close Tester

Test Tags         inline    stamp    proxy


*** Variables ***
${TESTBED}         embedded/stamped-proxy
${PROFILE_NAME}    quick    # durations and repetitions where a test does not say
${URL}             http://198.18.1.1/1kB
${REQUESTS}        50
${DELAY}           200 ms


*** Test Cases ***
Requests Reach The Server Soon
    [Documentation]    One connection each, so the request is the first segment of it. The first of them may wait for
    ...    the address of the server, for which a kernel asks once a second.
    Create Path    north    between=p1,p2
    Create Path    south    between=p3,p4
    Stamp Traffic
    ...    load
    ...    between=north,south
    ...    mode=match
    ...    headers=IP / TCP(dport=80)
    ...    kept=payload
    ...    data_only=True
    ...    direction=forward
    ...    timeout=5 s
    Start Path
    FOR    ${number}    IN RANGE    ${REQUESTS}
        Ask    ${URL}?${number}
    END
    Stop Path
    Get Stamp Statistics    load    received    ==    ${REQUESTS}
    Verify Latency Below    ${DELAY}    percentile=90


*** Keywords ***
Ask
    [Documentation]    A request of the client, over a connection of its own.
    [Arguments]    ${url}
    Run On Host
    ...    client
    ...    curl
    ...    --silent
    ...    --fail
    ...    --globoff
    ...    --proto
    ...    =http,https
    ...    --output
    ...    /dev/null
    ...    --
    ...    ${url}
