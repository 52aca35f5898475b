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
const answer = at < 0 ? `done: ${first}` : fitting(JSON.parse(prompt.slice(at + marker.length)), first);
process.stdout.write(typeof answer === 'string' ? answer : JSON.stringify(answer));

function fitting(schema, text) {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, part]) => [name, listed(name, part, text)]),
    );
  if (schema.type === 'array') return [fitting(schema.items ?? {}, text)];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  return text;
}

/** Every item of a ballot gets a vote. */
function listed(name, part, text) {
  const ids = name === 'votes' ? part.items?.properties?.id?.enum : undefined;
  if (ids === undefined) return fitting(part, text);
  return ids.map((id) => ({ id, vote: 'YES', reason: 'right' }));
}
