import { runIdPattern } from '../../../engine/run-directory.ts';
import { type CompletionModel, type FlagValue, type FlagWord, quoted, runsOffered } from './model.ts';

/** A script that `eval "$(charrette completion zsh)"` takes after compinit, or a file `_charrette` in $fpath. */
export function zshCompletion({ everywhere, nodes }: CompletionModel): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const values = [
    ...nodes.flatMap(({ path, flags }) => valueCases(flags, (name) => quoted(`${path.join(' ')}|${name}`))),
    ...valueCases(everywhere, (name) => `*${quoted(`|${name}`)}`),
  ];
  const words = nodes.map(({ path, subcommands, flags, takesRun }) => {
    const described = [
      ...subcommands.map(({ name, summary }) => describedWord(name, summary)),
      ...describedFlags(flags),
    ];
    const runs = takesRun ? '; _charrette_runs' : '';
    return `    ${quoted(path.join(' '))}) words=(${described.join(' ')})${runs} ;;`;
  });
  return `#compdef charrette
# zsh completion of charrette: eval "$(charrette completion zsh)"
_charrette_runs() {
  local LC_ALL=C name pattern=${quoted(runIdPattern.source)}
  local -i offered=0
  words+=(latest)
  for name in .charrette/runs/$PREFIX*(NOn:t); do
    [[ $name =~ $pattern ]] || continue
    words+=($name)
    ((++offered < ${runsOffered})) || return 0
  done
}
_charrette() {
  local command_path='' previous=\${words[CURRENT-1]} next
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    next="\${command_path:+$command_path }\${words[index]}"
    case "$next" in
      ${paths.join('|')}) command_path=$next ;;
    esac
  done
  case "$command_path|$previous" in
${values.join('\n')}
  esac
  local -a words
  case "$command_path" in
${words.join('\n')}
  esac
  words+=(${describedFlags(everywhere).join(' ')})
  _describe -t words charrette words || _files
}
if [[ "\${funcstack[1]}" == _charrette ]]; then _charrette "$@"; else compdef _charrette charrette; fi
`;
}

function describedFlags(flags: readonly FlagWord[]): string[] {
  return flags.flatMap(({ names, summary }) => names.map((name) => describedWord(name, summary)));
}

function describedWord(name: string, summary: string): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${summary}`);
}

function valueCases(flags: readonly FlagWord[], pattern: (name: string) => string): string[] {
  return flags
    .filter(({ value }) => value.kind !== 'none')
    .map(({ names, value }) => `    ${names.map(pattern).join('|')}) ${reply(value)}; return ;;`);
}

function reply(value: FlagValue): string {
  if (value.kind === 'words') return `compadd -- ${value.words.map(quoted).join(' ')}`;
  if (value.kind === 'directory') return '_files -/';
  return value.kind === 'file' ? '_files' : ':';
}
