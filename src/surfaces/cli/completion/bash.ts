import { runIdPattern } from '../../../engine/run-directory.ts';
import { type CompletionModel, type FlagValue, type FlagWord, quoted, runsOffered } from './model.ts';

/**
 * A script that `eval "$(charrette completion bash)"` takes. `compgen -W` expands its words as a command line is
 * expanded, so only words of ours go through it, never a name from the disk.
 */
export function bashCompletion({ everywhere, nodes }: CompletionModel): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const values = [
    ...nodes.flatMap(({ path, flags }) => valueCases(flags, (name) => quoted(`${path.join(' ')}|${name}`))),
    ...valueCases(everywhere, (name) => `*${quoted(`|${name}`)}`),
  ];
  const words = nodes.map(({ path, subcommands, flags, takesRun }) => {
    const names = [...subcommands.map(({ name }) => name), ...flags.flatMap((flag) => flag.names)];
    const offered = quoted([...names, ...(takesRun ? ['latest'] : [])].join(' '));
    return `    ${quoted(path.join(' '))}) words=${offered}${takesRun ? ' runs=yes' : ''} ;;`;
  });
  return `# bash completion of charrette: eval "$(charrette completion bash)"
_charrette_runs() (
  shopt -s nullglob
  LC_ALL=C
  names=(.charrette/runs/"$1"*)
  pattern=${quoted(runIdPattern.source)}
  offered=0
  for ((index = \${#names[@]} - 1; index >= 0 && offered < ${runsOffered}; index--)); do
    name=\${names[index]##*/}
    [[ $name == "$1"* && $name =~ $pattern ]] && printf '%s\\n' "$name" && ((++offered))
  done
)
_charrette() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path='' words='' runs='' next index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
      ${paths.join('|')}) path=$next ;;
    esac
  done
  COMPREPLY=()
  case "$path|$previous" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  words+=${quoted(` ${everywhere.flatMap(({ names }) => names).join(' ')}`)}
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ $runs ]] && mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(_charrette_runs "$current")
}
complete -o default -F _charrette charrette
`;
}

function valueCases(flags: readonly FlagWord[], pattern: (name: string) => string): string[] {
  return flags
    .filter(({ value }) => value.kind !== 'none')
    .map(({ names, value }) => `    ${names.map(pattern).join('|')}) ${reply(value)}; return ;;`);
}

function reply(value: FlagValue): string {
  const from = (how: string) => `mapfile -t COMPREPLY < <(compgen ${how} -- "$current")`;
  if (value.kind === 'words') return from(`-W ${quoted(value.words.join(' '))}`);
  if (value.kind === 'anything') return ':';
  // Without this option a file name would be inserted unquoted and run with the line.
  return `compopt -o filenames 2>/dev/null; ${from(value.kind === 'directory' ? '-d' : '-f')}`;
}
