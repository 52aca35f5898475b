// A scripted agent for workflow files: answers a prompt with a JSON schema with a value that fits, and any other prompt with its
// first line. It appends the first line of each prompt to its calls file; the order in which calls end changes with each process.
import { appendFileSync, readFileSync } from 'node:fs';

const [callsFile, delay = '0', failing = ''] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const [first = ''] = prompt.split('\n');
if (callsFile) appendFileSync(callsFile, `${first}\n`);
if (Number(delay) > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(delay)));
if (failing !== '' && first.includes(failing)) {
  process.stderr.write('told to fail\n');
  process.exit(3);
}
const marker = 'fits this JSON Schema, and nothing else:\n';
const at = prompt.lastIndexOf(marker);
const schema = at < 0 ? undefined : JSON.parse(prompt.slice(at + marker.length));
const answer = at < 0 ? `done: ${first}` : fitting(schema, '');
process.stdout.write(typeof answer === 'string' ? answer : JSON.stringify(answer));

/** A value that has every property and at least one item of every list; `name` is the property it is for. */
function fitting(given, name, depth = 0) {
  const part = typeof given?.$ref === 'string' ? { ...referred(given.$ref), ...given } : given;
  if (typeof part !== 'object' || part === null || depth > 12) return first;
  if (part.const !== undefined) return part.const;
  if (part.enum) return part.enum[0];
  const [choice] = [part.oneOf, part.anyOf].flat().filter((each) => each !== undefined);
  if (choice) return fitting({ ...part, oneOf: undefined, anyOf: undefined, ...choice }, name, depth + 1);
  if (part.allOf)
    return fitting(Object.assign({}, { ...part, allOf: undefined }, ...part.allOf), name, depth);
  const kind = [part.type].flat()[0] ?? (part.properties ? 'object' : part.items ? 'array' : 'string');
  if (kind === 'object') {
    const names = new Set([...Object.keys(part.properties ?? {}), ...(part.required ?? [])]);
    return Object.fromEntries(
      [...names].map((each) => [each, fitting(part.properties?.[each] ?? {}, each, depth + 1)]),
    );
  }
  if (kind === 'array') {
    // Every item of a ballot gets a vote.
    const ids = name === 'votes' ? part.items?.properties?.id?.enum : undefined;
    if (ids) return ids.map((id) => ({ id, vote: 'YES', reason: 'right' }));
    const count = Math.min(Math.max(part.minItems ?? 1, 1), part.maxItems ?? 1000);
    return Array.from({ length: count }, () => fitting(part.items ?? {}, name, depth + 1));
  }
  if (kind === 'integer' || kind === 'number') {
    const least = part.minimum ?? (part.exclusiveMinimum === undefined ? 1 : part.exclusiveMinimum + 1);
    return Math.min(least, part.maximum ?? least);
  }
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  return first.padEnd(part.minLength ?? 0, '.').slice(0, part.maxLength);
}

function referred(pointer) {
  const names = pointer.replace(/^#\/?/, '').split('/').filter(Boolean);
  return (
    names.reduce((value, each) => value?.[each.replaceAll('~1', '/').replaceAll('~0', '~')], schema) ?? {}
  );
}
