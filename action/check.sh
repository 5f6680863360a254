#!/usr/bin/env bash
# What the action runs: check the proposals, write SARIF, and show the report in the job's summary.
# The exit status is that of sandproof check.
set -u

options=(--effort "$EFFORT" --also "sarif=$SARIF")
[ -z "$ACCEPT" ] || options+=(--accept "$ACCEPT")
[ "$FAIL_IF_WEAKER" != true ] || options+=(--fail-if-weaker)
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || options+=(--also "markdown=$GITHUB_STEP_SUMMARY")
# Patterns and further options are lists of words.
# shellcheck disable=SC2206
options+=($ARGUMENTS)
# shellcheck disable=SC2086
exec "$SANDPROOF" check $PROPOSALS "${options[@]}"
