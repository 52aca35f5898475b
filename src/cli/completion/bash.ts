import { type CompletionModel, type FlagValue, type FlagWord, runsOffered } from './model.ts';
import { quoted } from './quote.ts';

/** A script that `eval "$(charrette completion bash)"` takes. */
export function bashCompletion({ everywhere, nodes }: CompletionModel): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const values = [
    ...nodes.flatMap(({ path, flags }) => valueCases(flags, (name) => quoted(`${path.join(' ')}|${name}`))),
    ...valueCases(everywhere, (name) => `*${quoted(`|${name}`)}`),
  ];
  const words = nodes.map(({ path, subcommands, flags, takesRun }) => {
    const names = [...subcommands.map(({ name }) => name), ...flags.flatMap((flag) => flag.names)].join(' ');
    const runs = takesRun ? ' "$(_charrette_runs "$current")"' : '';
    return `    ${quoted(path.join(' '))}) words=${quoted(names)}${runs === '' ? '' : `' '${runs.trim()}`} ;;`;
  });
  return `# bash completion of charrette: eval "$(charrette completion bash)"
_charrette_runs() {
  printf 'latest '
  [ -d .charrette/runs ] && (
    shopt -s nullglob
    LC_ALL=C
    cd .charrette/runs && names=("$1"*)
    ((\${#names[@]} > ${runsOffered})) && names=("\${names[@]: -${runsOffered}}")
    printf '%s ' "\${names[@]}"
  )
}
_charrette() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path='' words='' next index
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
  if (value.kind === 'directory') return from('-d');
  return value.kind === 'file' ? from('-f') : ':';
}
