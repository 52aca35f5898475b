import path from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { ask, measure, seats, stateFolder } from './agent.mjs';

// graph
const list = () => Annotation({ reducer: (left, right) => left.concat(right), default: () => [] });
const State = Annotation.Root({
  sketches: list(),
  synthesis: Annotation(),
  plan: Annotation(),
  reviews: list(),
  votes: list(),
});
const graph = new StateGraph(State);
const row = (role, count, field, given) => {
  for (const name of seats(role, count))
    graph.addNode(name, async (state) => ({ [field]: [await ask(name, given(state))] }));
};
row('sketch', 4, 'sketches', () => ({}));
graph.addNode('synthesise', async ({ sketches }) => ({ synthesis: await ask('synthesis', sketches) }));
graph.addNode('write-plan', async ({ synthesis }) => ({ plan: await ask('plan', { synthesis }) }));
row('review', 4, 'reviews', ({ plan }) => ({ plan }));
graph.addNode('gather', () => ({}));
row('vote', 3, 'votes', ({ plan, reviews }) => ({ plan, reviews }));
for (const name of seats('sketch', 4)) graph.addEdge(START, name);
graph.addEdge(seats('sketch', 4), 'synthesise');
graph.addEdge('synthesise', 'write-plan');
for (const name of seats('review', 4)) graph.addEdge('write-plan', name);
graph.addEdge(seats('review', 4), 'gather');
for (const name of seats('vote', 3)) graph.addEdge('gather', name).addEdge(name, END);
// end of graph

const app = graph.compile({ checkpointer: SqliteSaver.fromConnString(path.join(stateFolder, 'state.db')) });
const config = { configurable: { thread_id: 'one' }, durability: 'sync' };
const earlier = await app.getState(config);
await measure(async () => (await app.invoke(earlier.next.length > 0 ? null : {}, config)).votes.length);
