#!/bin/sh
# remembering-agent.sh <calls> <answers> <command…>: an agent in front of another one. It notes each call in the file <calls>
# (task, seat, attempt, digest of the prompt) and gives the same answer to the same prompt without starting the other one
# again. "-" as <answers> remembers nothing.
calls=$1
answers=$2
shift 2
scratch=$answers
[ "$answers" = - ] && scratch=${TMPDIR:-/tmp}
prompt=$(mktemp "$scratch/.prompt.XXXXXXXX") || exit 1
cat >"$prompt"
digest=$(sha256sum <"$prompt")
digest=${digest%% *}
echo "$CHARRETTE_TASK $CHARRETTE_SEAT $CHARRETTE_ATTEMPT $digest" >>"$calls"
known=$answers/$CHARRETTE_TASK.$CHARRETTE_SEAT.$digest
if [ "$answers" = - ]; then
  "$@" <"$prompt"
  status=$?
elif [ -f "$known" ]; then
  cat "$known"
  status=$?
else
  "$@" <"$prompt" >"$prompt.answer"
  status=$?
  cat "$prompt.answer"
  [ $status = 0 ] && mv "$prompt.answer" "$known"
fi
rm -f "$prompt" "$prompt.answer"
exit $status
