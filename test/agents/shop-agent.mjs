// A scripted agent for the `exec` protocol that knows the example shop: `shop-agent.mjs <voice> <delay in ms>`.
import { readFileSync } from 'node:fs';
import { shopAnswer } from './shop-answers.mjs';

const [voice, delay = '0'] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
await new Promise((resolve) => setTimeout(resolve, Number(delay)));
const answer = shopAnswer(process.env.CHARRETTE_TASK ?? '', prompt, voice);
if (answer === undefined) process.exit(4);
process.stdout.write(`${JSON.stringify(answer)}\n`);
