/** What stands around a substitution or a subshell while its inside is read. */
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
