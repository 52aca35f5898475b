// A review of a diff: two agents review it, two vote on what they found, and the accepted findings are printed.
// git diff | node examples/library/review-diff.ts path/to/project node my-agent.mjs
import { readFileSync } from 'node:fs';
import { execAgent } from 'charrette/agents';
import {
  merge,
  type ReviewTask,
  review,
  runScript,
  type Seat,
  tally,
  type VoteTask,
  vote,
} from 'charrette/council';
import { data, words } from 'charrette/prompts';

const [folder = '.', ...command] = process.argv.slice(2);
const diff = readFileSync(0, 'utf8');
const agents = ['ann', 'ben'].map((id) => execAgent(id, command));
const seats: Seat[] = agents.map(({ id }) => ({ id, label: id, agents: [id] }));
const [author] = seats;
if (author === undefined) throw new Error('No agent to review with.');

const changes = data('diff', diff, { heading: 'The diff' });
const reviewTask: ReviewTask = {
  kind: 'diff-review',
  draft: (_seat, schema) => ({
    task: 'diff-review',
    fixed: [
      words('role', 'You review a diff. Report defects that it brings in, each with the line it rests on.'),
    ],
    answer: { kind: 'json', schema },
    changing: [changes],
  }),
};
const voteTask: VoteTask = {
  exonerate: false,
  neutral: diff,
  draft: (_seat, ballot, schema) => ({
    task: 'vote',
    fixed: [
      words(
        'role',
        'You vote on findings about a diff. YES: correct and worth a change. NO: everything else.',
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [changes, data('ballot', ballot, { heading: 'Ballot' })],
  }),
};

const { result } = await runScript(
  folder,
  { name: 'review-diff', title: 'review', agents },
  async (council) => {
    const { raised } = await review(council, { reviewers: seats }, reviewTask);
    if (raised.length === 0) return [];
    const items = await merge(council, author, raised);
    return tally(items, await vote(council, { voters: seats, author }, items, voteTask));
  },
);
for (const { item, outcome, yes, no } of result ?? [])
  console.log(`${outcome} (${yes} YES, ${no} NO): ${item.title}\n  ${item.concern}`);
