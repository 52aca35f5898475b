// Answers the tasks of a feature like `feature-agent.mjs` and everything else like `panel-agent.mjs`, whose arguments it takes.
const task = process.env.CHARRETTE_TASK ?? '';
const ofFeature = /^(?:feature-|(?:specify|design|create-|implement)[a-z-]*-)/.test(task);
await import(ofFeature ? './feature-agent.mjs' : './panel-agent.mjs');
