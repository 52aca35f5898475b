# candidates.fish SCRIPT LINE…: what the script offers for each line, with a line `==` before each answer.
source $argv[1]
for line in $argv[2..-1]
  echo ==
  complete -C $line
end
