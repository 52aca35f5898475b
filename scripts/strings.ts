// `npm run strings [FOLDER…]`: prints every text that the program shows to people, by file: messages, fixes, questions, options, help,
// notes, warnings and the words of the page. `…` stands for a value. Read it from top to bottom before a release.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const root = path.resolve(import.meta.dirname, '..');
const shownProperties = /^(?:message|fix|meaning|text|label|detail|description|hint|reason|title|summary)$/;
const shownCalls = /^(?:warn|warnOnce|note|skip|begin|end|printNotice|wrongArgs|write)$/;
const shownAttributes = /^(?:title|placeholder|aria-label|alt)$/;

const named = process.argv.slice(2);
const folders = named.length > 0 ? named : ['src', 'web/src'];
const files = execFileSync('git', ['ls-files', '-z', '--', ...folders], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fuzz)\.|\/fixtures\/|src\/prompts\//.test(file));
for (const file of files) {
  const { program } = parseSync(file, readFileSync(path.join(root, file), 'utf8'));
  const texts = [...new Set(textsIn(program as unknown as Node, []))];
  if (texts.length > 0) process.stdout.write(`${file}\n${texts.map((each) => `  ${each}\n`).join('')}\n`);
}

type Node = { type: string } & Record<string, unknown>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function textsIn(node: Node, above: readonly Node[]): string[] {
  const words = wordsOf(node);
  const own = words !== undefined && isShown(node, above) && /\p{L}{2}.* /u.test(words) ? [words] : [];
  const within = Object.values(node)
    .flat()
    .filter(isNode)
    .flatMap((child) => textsIn(child, [node, ...above]));
  return [...own, ...within];
}

/** A text where it is shown: the value of a property, an argument of a call, an attribute or words of the page. */
function isShown(node: Node, above: readonly Node[]): boolean {
  if (node.type === 'JSXText') return true;
  const place = above.find(({ type }) =>
    /^(?:Property|CallExpression|JSXAttribute|BlockStatement)$/.test(type),
  );
  if (place?.type === 'Property') return shownProperties.test(nameOf(place['key']));
  if (place?.type === 'JSXAttribute') return shownAttributes.test(nameOf(place['name']));
  return place?.type === 'CallExpression' && shownCalls.test(nameOf(place['callee']));
}

/** The last name of `a.b`, `b` or `'b'`. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return '';
  if (value.type === 'MemberExpression') return nameOf(value['property']);
  return String(value['name'] ?? value['value'] ?? '');
}

function wordsOf(node: Node): string | undefined {
  const parts =
    node.type === 'TemplateLiteral'
      ? (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
      : (node.type === 'Literal' || node.type === 'JSXText') && typeof node['value'] === 'string'
        ? [node['value']]
        : undefined;
  return parts?.join('…').replace(/\s+/g, ' ').trim();
}
