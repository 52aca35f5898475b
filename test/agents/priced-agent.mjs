// A fake Claude Code that answers the panel's tasks and reports what each call cost: a thousand tokens, one cent. With
// `tokens` it says nothing of money, as for a model that it does not know.
import { readFileSync } from 'node:fs';
import { panelAnswer, taskOf } from './panel-answers.mjs';

const prompt = readFileSync(0, 'utf8');
const probe = prompt.trim() === 'Respond with OK';
const task = taskOf(prompt) ?? 'none';
const value = probe ? undefined : panelAnswer(task, prompt);
const event = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: probe ? 'OK' : JSON.stringify(value),
  session_id: 'one',
  total_cost_usd: 0.01,
  ...(process.argv[2] === 'tokens' ? { modelUsage: { any: { costBasis: 'unknown' } } } : {}),
  usage: {
    input_tokens: 900,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 100,
  },
};
process.stdout.write(`${JSON.stringify(event)}\n`);
