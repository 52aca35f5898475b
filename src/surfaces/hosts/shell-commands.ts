import path from 'node:path';

/** How a program that only starts another one is read. */
type Starter = {
  /** Flags that take the next word with them. */
  values?: readonly string[];
  /** Words between its flags and the program. */
  operands?: number;
  /** It starts something only after one of these words. */
  verbs?: readonly string[];
  /** With one of these flags it asks about a program and starts none. */
  asks?: readonly string[];
  /** The word after a flag that this fits is a command line. */
  script?: RegExp;
  /** Its words are a command line. */
  isScript?: true;
};

const shell: Starter = { values: ['-o', '-O', '--rcfile', '--init-file'], script: /^-[a-z]*c$/ };

const starters: Readonly<Record<string, Starter>> = {
  ...Object.fromEntries(
    ['!', '{', 'if', 'then', 'elif', 'else', 'while', 'until', 'do'].map((word) => [word, {}]),
  ),
  ...Object.fromEntries(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish'].map((name) => [name, shell])),
  builtin: {},
  bun: { verbs: ['x'] },
  bunx: {},
  command: { asks: ['-v', '-V'] },
  coproc: {},
  doas: { values: ['-u', '-C'] },
  env: { values: ['-u', '--unset', '-C', '--chdir'], script: /^(?:-S|--split-string)$/ },
  eval: { isScript: true },
  exec: { values: ['-a'] },
  ionice: { values: ['-c', '-n', '--class', '--classdata'] },
  nice: { values: ['-n', '--adjustment'] },
  node: { values: ['-r', '--require', '--import', '--loader'] },
  nohup: {},
  npm: { verbs: ['exec', 'x'], values: ['-p', '--package', '-w', '--workspace'], script: /^(?:-c|--call)$/ },
  npx: { values: ['-p', '--package', '-w', '--workspace'], script: /^(?:-c|--call)$/ },
  pnpm: { verbs: ['exec', 'dlx'], values: ['--package', '-C', '--dir', '--filter'] },
  pnpx: {},
  setsid: {},
  stdbuf: { values: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  sudo: {
    values: [
      '-u',
      '-g',
      '-h',
      '-p',
      '-C',
      '-D',
      '-R',
      '-T',
      '-U',
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
    ],
    asks: ['-l', '--list'],
  },
  time: { values: ['-f', '-o', '--format', '--output'] },
  timeout: { values: ['-k', '-s', '--kill-after', '--signal'], operands: 1 },
  xargs: { values: ['-a', '-d', '-E', '-I', '-L', '-n', '-P', '-s'] },
  yarn: { verbs: ['dlx', 'exec'] },
};

/** More command lines in command lines than anybody writes are not looked into. */
const maxScripts = 50;

/** The programs that a command line starts, each by its bare name and with its words: `sudo /usr/bin/x -y` starts `x`. */
export function startedPrograms(line: string): string[][] {
  const scripts = [line];
  const programs: string[][] = [];
  for (let index = 0; index < Math.min(scripts.length, maxScripts); index += 1) {
    for (const words of shellCommands(scripts[index] ?? '')) {
      const started = behindStarters(words);
      if (typeof started === 'string') scripts.push(started);
      else if (started.length > 0) programs.push(started);
    }
  }
  return programs;
}

/** The program and its words; a string is a command line in their place. */
function behindStarters(words: readonly string[]): string[] | string {
  for (let rest = words; ; ) {
    const [first, ...more] = withoutPreparation(rest);
    if (first === undefined) return [];
    const name = bareName(first);
    const starter = Object.hasOwn(starters, name) ? starters[name] : undefined;
    if (starter === undefined) return [name, ...more];
    const started = startedBy(starter, more);
    if (typeof started === 'string') return started;
    rest = started;
  }
}

function startedBy(
  { values = [], operands = 0, verbs, asks = [], script, isScript }: Starter,
  words: readonly string[],
): string[] | string {
  if (isScript === true) return words.join(' ');
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (script?.test(word) === true) return words[index + 1] ?? '';
    if (asks.includes(word)) return [];
    if (word === '--') {
      index += 1;
      break;
    }
    if (values.includes(word)) index += 1;
    else if (verbs?.includes(word) === true)
      return startedBy({ values, ...(script === undefined ? {} : { script }) }, words.slice(index + 1));
    else if (!word.startsWith('-')) break;
  }
  return verbs === undefined ? words.slice(index + operands) : [];
}

/** Skips assignments and redirections before a program. */
function withoutPreparation(words: readonly string[]): readonly string[] {
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (/^(?:\d*|&)[<>]+[&|]?$/.test(word)) index += 1;
    else if (!/^[A-Za-z_]\w*\+?=/.test(word) && !/^(?:\d*|&)[<>]/.test(word)) break;
  }
  return words.slice(index);
}

/** Without its folder, and without the version that `npx` may be told. */
function bareName(word: string): string {
  return path.posix.basename(word).replace(/(?<=.)@[^@]*$/, '');
}

/** The state around a substitution or a subshell while its inside is read. */
type Around = {
  closing: ')' | '`';
  words: string[];
  word: string | undefined;
  isQuoted: boolean;
  isList: boolean;
};

/**
 * The simple commands of a shell's command line, each as its words without quotes; those of subshells, substitutions and branches
 * too. Comments and here-documents are none. Whatever the text is, there is an answer.
 */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = [];
  const outside: Around[] = [];
  const documents: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  let at = 0;

  const add = (more: string) => {
    word = (word ?? '') + more;
  };
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const enter = (closing: Around['closing'], isList = false) => {
    outside.push({ closing, words, word, isQuoted, isList });
    words = [];
    word = undefined;
    isQuoted = false;
  };
  const leave = ({ isList, ...around }: Around) => {
    // A list of words that a variable gets starts nothing.
    if (!isList) endCommand();
    ({ words, isQuoted } = around);
    word = around.word ?? '';
    outside.pop();
  };
  /** The bodies of here-documents begin with the next line. */
  const skipDocuments = () => {
    for (const end of documents.splice(0)) {
      while (at < text.length) {
        const line = lineAt(text, at);
        at += line.length + 1;
        if (line.trim() === end) break;
      }
    }
  };

  while (at < text.length) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    const around = outside.at(-1);
    at += 1;
    if (character === '\\') {
      if (next !== '\n') add(next);
      at += 1;
    } else if (character === '$' && next === '(') {
      enter(')');
      at += 1;
    } else if (character === '`') {
      if (around?.closing === '`') leave(around);
      else enter('`');
    } else if (character === '"') {
      add('');
      isQuoted = !isQuoted;
    } else if (isQuoted) {
      add(character);
    } else if (character === "'") {
      const end = text.indexOf("'", at);
      add(text.slice(at, end < 0 ? undefined : end));
      at = end < 0 ? text.length : end + 1;
    } else if (character === '(') {
      enter(')', word?.endsWith('=') === true);
    } else if (character === ')') {
      if (around?.closing === ')') leave(around);
      // Before it stood a pattern of `case`.
      else [words, word] = [[], undefined];
    } else if (character === '&' && next === '>') {
      endWord();
      add(character);
    } else if ('&|'.includes(character) && '<>'.includes(word?.at(-1) ?? ' ')) {
      add(character);
    } else if (';&|'.includes(character)) {
      endCommand();
    } else if (character === '\n') {
      endCommand();
      skipDocuments();
    } else if (/\s/.test(character)) {
      endWord();
    } else if (character === '#' && word === undefined) {
      at += lineAt(text, at).length;
    } else if (text.startsWith('<<<', at - 1)) {
      endWord();
      add('<<<');
      at += 2;
    } else if (character === '<' && next === '<') {
      const [whole = '', end = ''] =
        /^<-?[ \t]*(?:['"\\]?)([A-Za-z_][\w.-]*)['"]?/.exec(text.slice(at, at + 100)) ?? [];
      if (end !== '') documents.push(end);
      at += Math.max(1, whole.length);
      endWord();
    } else {
      // A redirection needs no space before it.
      if ('<>'.includes(character) && !/^[\d<>&|]{0,3}$/.test(word ?? '')) endWord();
      add(character);
    }
  }
  for (let around = outside.at(-1); around !== undefined; around = outside.at(-1)) leave(around);
  endCommand();
  return commands;
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(at, end < 0 ? undefined : end);
}
