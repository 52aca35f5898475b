// A council of your own: sketches, debates and judges decide what is contested about a feature. No plan, no design.
// node examples/library/own-council.ts path/to/project "let customers cancel an order" node my-agent.mjs
import { execAgent } from 'charrette/agents';
import {
  allUp,
  debate,
  judge,
  planDebates,
  renderResolutions,
  resolve,
  runScript,
  seatPanel,
  sketch,
  synthesise,
} from 'charrette/council';

const [folder = '.', feature = '', ...command] = process.argv.slice(2);
const agents = ['ann', 'ben', 'cleo'].map((id) => execAgent(id, command));
const script = { name: 'own-council', title: feature, agents };

const { run, result } = await runScript(folder, script, async (council) => {
  const commission = { description: feature };
  const table = seatPanel(agents, allUp(agents), { panel: 'diagonal', sketches: 4, padding: true });
  const { sketches } = await sketch(council, table.sketchers, commission, 'regular');
  const { synthesis, decisions } = await synthesise(council, table.author, commission, sketches);
  const queue = planDebates(decisions, { buckets: table.buckets });
  const debates = await debate(council, queue, { commission, synthesis });
  const heard = debates.filter((each) => each.kind === 'heard');
  const rules = { bothOrders: true, neutral: feature };
  const ballots = heard.length === 0 ? [] : await judge(council, heard, table.judges, rules);
  const resolutions = renderResolutions(resolve(debates, ballots, rules));
  await council.artifact('resolutions.md', resolutions);
  return resolutions;
});
console.error(`Run \`charrette show ${run}\` for details.`);
console.log(result);
