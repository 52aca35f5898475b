# candidates.bash SCRIPT LINE…: what the script offers for each line, with a line `==` before each answer.
source "$1"
shift
for line in "$@"; do
  COMP_WORDS=($line)
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _charrette
  printf '%s\n' '==' "${COMPREPLY[@]}"
done
