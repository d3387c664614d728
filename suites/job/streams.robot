*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Sends the streams of a job file, as `tester run JOB.yaml` does: for a time, or until they have
...                 come to their end. Their loss is judged if the file has a bound.
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_FILE}
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           job


*** Variables ***
${TESTBED}          embedded/l2-bridge
${PROFILE_NAME}     quick
${PROFILE_FILE}     ${CURDIR}/../../resources/criteria/profiles/${PROFILE_NAME}.yaml
${JOB_FILE}         light
${DURATION}         ${NONE}    # in place of that of the file


*** Test Cases ***
Streams Of The Job
    [Documentation]    A stream that never ends is sent for the duration of the job.
    ${job} =    Create Job    ${JOB_FILE}
    IF    $job.ends
        Send Traffic
    ELSE
        ${duration} =    Set Variable If    $DURATION    ${DURATION}    ${job.duration}
        Measure Loss    duration=${duration}
    END
    IF    $job.loss is not None    Verify Loss Below    ${job.loss}
