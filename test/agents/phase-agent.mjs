// A scripted agent for the `exec` protocol that runs phases of a skill: it gives every declared output.
import { readFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const phase = /phase (\d+) \(/.exec(prompt)?.[1];
const values = [...prompt.matchAll(/- the value `(\w+)`/g)].map(([, name]) => name);
const files = [...prompt.matchAll(/- the file `([^`]+)`/g)].map(([, name]) => name);
const outputs = values.map((name) => [name, name === 'conflictRisk' ? 'low' : `${name}-1`]);
const answer = {
  status: 'DONE',
  summary: `phase ${phase}`,
  outputs: Object.fromEntries(outputs),
  files: Object.fromEntries(files.map((file) => [file, `made by ${phase}`])),
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
