import { CharretteError } from '../../base/errors.ts';
import { healthWarning, isUp, runAvailability } from '../../council/health.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import {
  agentLabel,
  type Bucket,
  describeUnused,
  replacementOf,
  unseatedAgents,
} from '../../council/seating.ts';
import { askConsent } from '../consent.ts';
import { greetCaller, reportHealth } from './caller.ts';
import { describeEstimate } from './depth.ts';
import type { Desk } from './desk.ts';
import type { SeatedTable } from './inputs.ts';
import { agentsOf, probeAgents, seat } from './table.ts';

/** Step 0: consent, a health check of every agent, the seats (L-100…L-129). */
export async function setup(desk: Desk): Promise<SeatedTable> {
  desk.begin('0');
  await askConsent(desk.context, desk.services.agents.values(), {
    consented: desk.inputs.consented,
    detail: [describeEstimate(desk.inputs.estimate), ...declaredPlaces(desk.inputs.roster)].join('\n'),
  });
  const agents = agentsOf(desk);
  const knownDown = await greetCaller(desk);
  const probes = await probeAgents(desk, 'agents', agents, knownDown);
  const health = runAvailability(probes);
  const up = agents.filter((agent) => isUp(health, agent.id));
  for (const agent of agents) {
    const state = health.agents[agent.id];
    const warning =
      state === undefined
        ? undefined
        : healthWarning(agentLabel(agent.id), state, replacementOf(agent.id, agents, health, desk.inputs));
    if (warning !== undefined) desk.warn(warning);
  }
  if (up.length === 0) {
    throw new CharretteError({
      code: 'agent-not-found',
      message: `None of the agents answers: ${agents.map(({ id }) => `${id} (${health.agents[id]?.reason ?? 'no answer'})`).join(', ')}.`,
      fix: 'Run `charrette doctor --probe`; log in where that is missing, or use `--agents static`.',
      retryable: true,
    });
  }
  if (up.every((agent) => agent.family === 'static'))
    desk.note(
      `${ruleBasedMark}: the scout searches the repository; there are no sketches, debates or votes without a model`,
    );
  await reportHealth(desk, health);
  const isSmallerAccepted = await askDegraded(
    desk,
    agents.filter((agent) => !up.includes(agent)).map((agent) => agentLabel(agent.id)),
  );
  // What a caller knows to be down it does not expect.
  const expected = agents.filter(({ id }) => !knownDown.includes(id));
  const announced = (isSmallerAccepted ? up : expected).map(({ id }) => id);
  const table = seat(desk, health, announced);
  noteOneFamily(desk, table);
  const unused = unseatedAgents(agents, desk.inputs);
  if (unused.length > 0) desk.note(`⏳ ${describeUnused(unused)}`);
  await proposeLayout(desk, table.buckets);
  desk.end();
  return table;
}

/** C-22: with an empty debater's chair every second decision would go unargued; those who are there could take both sides. */
async function proposeLayout(desk: Desk, buckets: readonly Bucket[]): Promise<void> {
  const { debates, dialectic, sketches, auto } = desk.inputs;
  const present = buckets.filter(({ agent }) => agent !== '');
  if (debates === 'diagonal' || dialectic === 'off' || sketches === 0) return;
  if (present.length === 0 || present.length === buckets.length) return;
  const who = present.map(({ label }) => label).join(', ');
  if (auto) {
    desk.note(
      `⏳ one debater's chair is empty: every second contested decision keeps the synthesis. With \`debates: diagonal\` in the configuration ${who} would argue both sides.`,
    );
    return;
  }
  const id = 'debate-layout';
  const answers = await desk.context.ask([
    {
      id,
      text: `One debater's chair is empty. Let ${who} argue both sides of every contested decision?`,
      options: [
        { value: 'diagonal', label: 'Yes: everything contested is argued' },
        { value: 'bucket', label: 'No: every second decision keeps the synthesis' },
      ],
      recommended: 'diagonal',
    },
  ]);
  if (answers.get(id)?.value === 'diagonal') desk.inputs.debates = 'diagonal';
}

/** A panel of one family is no second opinion, and you know that before it starts. */
function noteOneFamily(desk: Desk, { reviewers, voters }: SeatedTable): void {
  if (reviewers.length === 0 || desk.isRuleBased) return;
  const families = [...reviewers, ...voters].flatMap(
    ({ planned }) => desk.services.agents.get(planned?.agent ?? '')?.family ?? [],
  );
  const [only, ...others] = new Set(families);
  if (only !== undefined && others.length === 0)
    desk.note(`⏳ one model family (${only}) reviews and votes; a second one would be a second opinion`);
}

/**
 * An empty chair is your choice: at a terminal you are asked once; with --auto the run continues with a note. Whether you accepted
 * the smaller panel yourself.
 */
async function askDegraded(desk: Desk, missing: readonly string[]): Promise<boolean> {
  if (missing.length === 0 || desk.inputs.auto) return false;
  const answers = await desk.context.ask([
    {
      id: 'degraded',
      text: `${missing.join(', ')} is unavailable. Continue with a smaller panel?`,
      options: [
        { value: 'continue', label: 'Continue; other agents fill the seats' },
        { value: 'stop', label: 'Stop, so that I can fix it' },
      ],
      recommended: 'continue',
    },
  ]);
  const answer = answers.get('degraded');
  if (answer?.value === 'continue') return answer.source !== 'recommended';
  throw new CharretteError({
    code: 'agent-not-found',
    message: `Stopped: ${missing.join(', ')} is unavailable.`,
    fix: 'Run `charrette doctor --probe` for the reason, then resume the run.',
  });
}

/** A command or address from the configuration decides who gets the login and the code, so it is shown unchanged. */
export function declaredPlaces(roster: Desk['inputs']['roster']): string[] {
  return roster.flatMap(({ id, command, baseUrl }) => [
    ...(command === undefined ? [] : [`${id} runs: ${command.join(' ')}`]),
    ...(baseUrl === undefined ? [] : [`${id} talks to: ${baseUrl}`]),
  ]);
}
