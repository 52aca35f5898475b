import { Agent, Runner, setTracingDisabled, Usage } from '@openai/agents';
import { ask, measure, seats } from './agent.mjs';

setTracingDisabled(true);

// graph
const scripted = (name) => ({
  async getResponse({ input }) {
    const { text } = await ask(name, { input });
    const message = { type: 'message', role: 'assistant', status: 'completed' };
    return { usage: new Usage(), output: [{ ...message, content: [{ type: 'output_text', text }] }] };
  },
  getStreamedResponse() {
    throw new Error('not used');
  },
});
const runner = new Runner({ tracingDisabled: true });
const call = async (name, given) =>
  (await runner.run(new Agent({ name, model: scripted(name) }), given)).finalOutput;
const row = (role, count, given) => Promise.all(seats(role, count).map((name) => call(name, given)));
async function panel() {
  const sketches = await row('sketch', 4, 'sketch it');
  const synthesis = await call('synthesis', sketches.join('\n'));
  const plan = await call('plan', synthesis);
  const reviews = await row('review', 4, plan);
  return (await row('vote', 3, [plan, ...reviews].join('\n'))).length;
}
// end of graph

await measure(panel);
