# candidates.zsh SCRIPT LINE…: what the script offers for each line, with a line `==` before each answer. The builtins that
# show candidates are replaced by ones that print them; choosing those that fit the word is their part.
autoload -Uz compinit && compinit -D -u
source "$1"
shift
_describe() { shift 3; print -rl -- ${(P)1%%:*}; }
compadd() { shift; print -rl -- "$@"; }
_files() { print -rl -- *(N); }
for line in "$@"; do
  words=(${=line})
  CURRENT=$#words
  print '=='
  _charrette
done
