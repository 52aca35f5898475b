import { runIdPattern } from '../../../engine/run-directory.ts';
import { type CompletionModel, type FlagWord, quoted, runsOffered } from './model.ts';

/** A script that `charrette completion fish | source` takes. */
export function fishCompletion({ everywhere, nodes }: CompletionModel): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  const lines = nodes.flatMap(({ path, subcommands, flags, takesRun }) => {
    const at = `-n ${quoted(`__charrette_at ${path.map((part) => `"${part}"`).join(' ')}`.trim())}`;
    return [
      ...subcommands.map(
        ({ name, summary }) => `complete -c charrette ${at} -f -a ${quoted(name)} -d ${quoted(summary)}`,
      ),
      ...flags.map((flag) => `complete -c charrette ${at} ${flagOf(flag)} -d ${quoted(flag.summary)}`),
      ...(takesRun ? [`complete -c charrette ${at} -f -a '(__charrette_runs)' -d run`] : []),
    ];
  });
  return `# fish completion of charrette: charrette completion fish | source
function __charrette_path
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string join -- ' ' $path $word)
    contains -- $next ${paths.join(' ')}; and set path $path $word
  end
  string join -- ' ' $path
end
function __charrette_at
  test (__charrette_path | string collect --allow-empty) = (string join -- ' ' $argv | string collect --allow-empty)
end
function __charrette_runs
  echo latest
  set -l names .charrette/runs/(commandline -ct)*
  path basename -- $names | string match -r -- ${quoted(runIdPattern.source)} | sort | tail -n ${runsOffered}
end
complete -c charrette -e
${everywhere.map((flag) => `complete -c charrette ${flagOf(flag)} -d ${quoted(flag.summary)}`).join('\n')}
${lines.join('\n')}
`;
}

function flagOf({ names, value }: FlagWord): string {
  const forms = names
    .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
    .join(' ');
  if (value.kind === 'none') return `-f ${forms}`;
  if (value.kind === 'words') return `${forms} -x -a ${quoted(value.words.join(' '))}`;
  if (value.kind === 'directory') return `${forms} -x -a '(__fish_complete_directories)'`;
  return value.kind === 'file' ? `${forms} -r -F` : `${forms} -x`;
}
