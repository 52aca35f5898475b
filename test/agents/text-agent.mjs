// An agent for the `exec` protocol that knows no JSON: it answers every task in the panel's plain-text formats, with
// narration before the payload, bold lines and no trailing newline. Its starts are noted in the file it is given, if any.
import { appendFileSync, readFileSync } from 'node:fs';

const { CHARRETTE_TASK: task = '', CHARRETTE_SEAT: seat = '' } = process.env;
const [callsFile] = process.argv.slice(2);
if (callsFile !== undefined) appendFileSync(callsFile, `${task}\n`);
const prompt = readFileSync(0, 'utf8');
const ids = (pattern) => [...new Set([...prompt.matchAll(pattern)].map((match) => match[0]))];

const plan = `# Limit requests per client

A token bucket in front of the router.

## Files to modify/create
- modify \`README.md\`: say how the limit is set
- new \`src/rate-limit.ts\`: the bucket

## Approach
DECISION_1 is followed: the bucket lives in memory and a restart forgets it.

## Edge cases
- A clock that goes back counts as no time passed.

## Failure modes
- The map grows. Warning: memory rises. Mitigation: sweep idle clients.

## Testing strategy
Unit tests of the bucket in src/rate-limit.test.ts.

## Decisions
- DECISION_1: the bucket lives in memory`;

const defence = (side) => `Let me argue.
<steelman>The other side is simple as well.</steelman>
<claim>Our side is the smaller change here.</claim>
<evidence>README.md:1 says that the shop is one process.</evidence>
<strongest_concession>A restart does forget all counts.</strongest_concession>
<counter_to_opposition>A restart is rare and harmless here.</counter_to_opposition>
<risk_if_wrong>Clients get a few requests more after a restart.</risk_if_wrong>

**RECOMMEND: ${side}**`;

const answers = {
  sketch: () =>
    `My approach as ${seat}. ${'Each request asks a bucket of its client before it is routed. '.repeat(12)}See README.md:1.`,
  synthesis: () => `### Combined approach

A token bucket in front of the router.

### Edge cases and failure risks

- A clock that goes back.

### DECISION_1: Where the bucket lives
- **Chosen**: in memory
- **Alternative**: in a file
- **Tension**: restart against speed
- **Impact**: High
- **Affected files**: README.md`,
  'debate-thesis': () => defence('THESIS'),
  'debate-antithesis': () => defence('ANTI_THESIS'),
  judge: () => `I read both sides.\n**DECISION_1: THESIS — the evidence holds**`,
  plan: () => plan,
  'plan-review': () => `Here is what I found.

1. **architecture** The limit is not configurable (README.md:1). Operators cannot change it without a new build of the whole shop.
   Suggested revision: read it from the configuration.`,
  'merge-findings': () => 'I think some of these are the same.',
  vote: () =>
    `Votes:\n${ids(/(?:FINDING|OOS)_\d+/g)
      .map((id) => `${id}: ${id === 'FINDING_1' ? 'YES' : 'NO'} — checked`)
      .join('\n')}`,
  'revise-plan': () =>
    `${plan.replace('A token bucket', 'A configurable token bucket')}\n\n${ids(/FINDING_\d+/g)
      .map((id) => `${id}: the limit is read from the configuration`)
      .join('\n')}`,
  diagram: () => 'Here:\n```mermaid\nflowchart LR\n  client --> limit --> router\n```',
  repair: () => 'I have nothing to add.',
};

process.stdout.write(answers[task]?.() ?? 'no');
