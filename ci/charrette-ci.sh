#!/usr/bin/env bash
# charrette-ci.sh skill-lint|plan-check|design [words…]: one check of Charrette for a CI job or a commit hook. Used by
# action.yml and .pre-commit-hooks.yaml; everything comes in as words or variables, nothing is evaluated.
#
#   CHARRETTE_PROGRAM   the program (charrette)
#   CHARRETTE_FAIL_ON   error (default): warnings pass; warning: those of skill-lint and plan-check fail; never: only a
#                       check that could not be made fails, and a design that did not end
#   CHARRETTE_SARIF     a file that gets the findings as SARIF 2.1.0
#   GITHUB_ACTIONS, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY   as GitHub sets them: annotations, outputs, summary
set -uo pipefail
program=${CHARRETTE_PROGRAM:-charrette}
fail_on=${CHARRETTE_FAIL_ON:-error}
sarif=${CHARRETTE_SARIF:-}
gate=
check=${1:?skill-lint, plan-check or design}
shift

case "$fail_on" in error | warning | never) ;; *)
  echo "CHARRETTE_FAIL_ON is $fail_on; it takes error, warning or never" >&2
  exit 2
  ;;
esac

output() { if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "${2//$'\n'/ }" >>"$GITHUB_OUTPUT"; fi; }
summary() { if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat >>"$GITHUB_STEP_SUMMARY"; else cat >/dev/null; fi; }

# 0 and 6 say that the check was made. Anything else is a broken check, but for the 1 of a linter that came to a verdict.
verdict() {
  output exit-code "$1"
  case "$1:$fail_on" in
    0:* | 6:never) exit 0 ;;
    1:never) [ -n "$gate" ] && exit 0 || exit 1 ;;
    6:error) [ "$check" = skill-lint ] && exit 0 || exit 6 ;;
    *) exit "$1" ;;
  esac
}

findings() {
  if [ -n "$sarif" ]; then
    "$program" "$@" --format sarif >"$sarif"
    output sarif "$sarif"
  fi
  if [ "${GITHUB_ACTIONS:-}" = true ]; then
    # Once for the annotations, once for people who read the log.
    "$program" "$@" --format github
  fi
  "$program" "$@" --no-color | tee >(sed 's/^/    /' | summary)
  code=${PIPESTATUS[0]}
  wait
  if [ "$code:$fail_on" = 1:never ]; then gate=$("$program" "$@" --json 2>/dev/null | grep '^  "gate": "'); fi
  verdict "$code"
}

case "$check" in
  skill-lint)
    if [ "$fail_on" != never ]; then set -- --fail-on "$fail_on" "$@"; fi
    findings skill lint "$@"
    ;;
  plan-check)
    if [ "$fail_on" = warning ]; then set -- --fail-on warning "$@"; fi
    findings plan check "$@"
    ;;
  design)
    result=$(mktemp)
    "$program" design --auto --yes --no-input --json "$@" >"$result"
    code=$?
    run=$(sed -n 's/^  "run": "\([a-z0-9-]*\)",\{0,1\}$/\1/p' "$result" | head -n 1)
    output run "$run"
    if [ -n "$run" ]; then
      plan=.charrette/runs/$run/artifacts/plan.txt
      output plan "$plan"
      "$program" report "$run" --md | summary
      if [ -f "$plan" ]; then cat "$plan"; fi
    else
      cat "$result" >&2
    fi
    rm -f "$result"
    verdict "$code"
    ;;
  *)
    echo "$check is no check; there are skill-lint, plan-check and design" >&2
    exit 2
    ;;
esac
