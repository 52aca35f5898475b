import type { PhaseConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { checkpointText, handoffText, sentinelText } from '../model/compact.ts';
import { criticalCall } from '../rules/compact.ts';

export type Tools = { agent: 'Task' | 'Agent'; todo: 'TodoWrite' | 'TaskCreate' };

export function phasePath({ number, slug }: Pick<PhaseConfig, 'number' | 'slug'>): string {
  return `phases/${String(number).padStart(2, '0')}-${slug}.md`;
}

type StepText = { title: string; critical: boolean; body: string };

/** S-061: one phase file in the order of the template; steps are numbered N.k, agent steps too. */
export function renderPhase(
  config: WorkflowConfig,
  phase: PhaseConfig,
  tools: Tools,
  skeleton: boolean,
): string {
  const { number, name, description } = phase;
  const steps = stepsOf(config, phase, tools, skeleton);
  const ids = steps.map((_, index) => `${number}.${index + 1}`);
  const facts = { first: ids[0] ?? '', last: ids.at(-1) ?? '', path: phasePath(phase) };
  const guarded = phase.guarded === true;
  const execution = steps.map(({ title, critical, body }, index) => {
    const checkpoint = guarded && critical ? `${checkpointText(facts)}\n\n` : '';
    return `### Step ${ids[index]}: ${title}\n\n${checkpoint}${body}`;
  });
  return `${[
    `# Phase ${number}: ${name}`,
    ...(guarded ? [sentinelText({ number, name, count: steps.length, ...facts })] : []),
    sentence(description === '' ? `Complete ${name}` : description),
    `## Objective\n\n${objectives(phase).join('\n')}`,
    ...inputSection(config, phase),
    `## Execution\n\n${execution.join('\n\n')}`,
    `## Output\n\n${outputLines(config, phase, tools).join('\n')}`,
    nextSection(config, phase),
  ].join('\n\n')}\n`;
}

export function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?。！？]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function objectives({ name, description, outputVariables, outputFiles }: PhaseConfig): string[] {
  return [
    `- ${sentence(description === '' ? `Complete ${name}` : description)}`,
    ...outputVariables.map((variable) => `- Produce \`${variable}\` for the phases that follow.`),
    ...outputFiles.map((file) => `- Write \`${file}\`.`),
  ];
}

/** What flows in, with a fallback for what a skipped phase did not make (DF006). */
function inputSection(config: WorkflowConfig, { number }: PhaseConfig): string[] {
  const lines = config.dataFlow
    .filter(({ to }) => to === `phase${number}`)
    .flatMap(({ from, variables }) => {
      const producer = config.phases.find((phase) => `phase${phase.number}` === from);
      const origin = producer === undefined ? 'from the user input' : `from Phase ${producer.number}`;
      const fallback =
        producer?.isConditional === true ? '; absent when that phase was skipped: continue without it' : '';
      return variables.map(
        (variable) =>
          `- **${isFile(variable) ? 'File' : 'Variable'}**: \`${variable}\` (${origin}${fallback})`,
      );
    });
  const keys = number === 1 ? preferenceKeys(config) : [];
  const preferences = keys.map((key) => `- **Preference**: \`workflowPreferences.${key}\``);
  return lines.length + preferences.length === 0
    ? []
    : [`## Input\n\n${[...lines, ...preferences].join('\n')}`];
}

export function preferenceKeys({ features, preferenceQuestions }: WorkflowConfig): string[] {
  return [...(features.hasAutoMode ? ['autoYes'] : []), ...preferenceQuestions.map(({ key }) => key)];
}

function isFile(name: string): boolean {
  return /[./]/.test(name);
}

function stepsOf(config: WorkflowConfig, phase: PhaseConfig, tools: Tools, skeleton: boolean): StepText[] {
  const { number, agentTypes, todoWriteSubTasks, outputVariables, outputFiles, handsOverTo } = phase;
  const steps: StepText[] = [{ title: 'Check the inputs', critical: false, body: inputStep(config, phase) }];
  if (phase.details !== undefined) steps.push({ ...step(phase.name), body: detailed(phase, phase.details) });
  for (const { title, body } of phase.steps ?? []) {
    steps.push({ title, critical: step(title).critical || criticalCall.test(body), body });
  }
  for (const task of phase.steps === undefined ? todoWriteSubTasks : []) {
    steps.push({
      ...step(task),
      body: `Do "${task}" and mark its todo item completed before the next one starts.`,
    });
  }
  for (const type of phase.steps === undefined ? agentTypes : []) {
    steps.push({
      title: `Delegate to ${type}`,
      critical: true,
      body: delegation(config, phase, type, tools),
    });
  }
  if (steps.length === 1 && phase.steps === undefined) {
    steps.push({
      ...step(phase.name),
      body: phase.description === '' ? placeholder(phase) : sentence(phase.description),
    });
  }
  const work = steps[1];
  const written = phase.details !== undefined || phase.steps !== undefined;
  if (skeleton && !written && work !== undefined && work.body !== placeholder(phase))
    work.body = `${placeholder(phase)}\n\n${work.body}`;
  const results = [...outputVariables, ...outputFiles].map((name) => `\`${name}\``).join(', ');
  steps.push({
    title: 'Record the result',
    critical: false,
    body:
      results === ''
        ? 'Summarise what was done in two or three sentences for the coordinator.'
        : `Verify that ${results} ${outputVariables.length + outputFiles.length > 1 ? 'are' : 'is'} there and not empty. When one is missing, repeat the step that makes it once, then report it by name.`,
  });
  const target = config.phases.find((candidate) => candidate.number === handsOverTo);
  if (target !== undefined) {
    steps.push({
      title: `Hand over to Phase ${target.number}`,
      critical: false,
      body: `\`\`\`javascript\n${handoffText(target.number, phasePath(target))}\n\`\`\``,
    });
  }
  return steps.map((made) => ({
    ...made,
    title: made.title.replaceAll(/\s+/g, ' ').replace(`Phase ${number}:`, '').trim(),
  }));
}

/** S-067: lint reports this line until someone replaces it (ST010). */
function placeholder({ name }: PhaseConfig): string {
  return `TODO: Add execution detail for ${name}`;
}

function step(title: string): Pick<StepText, 'title' | 'critical'> {
  return { title, critical: /\breview\b/i.test(title) };
}

/** The text of a source, verbatim; a heading at its beginning needs a sentence above it. */
function detailed({ name, description }: PhaseConfig, details: string): string {
  if (!details.startsWith('#')) return details;
  return `${sentence(description === '' ? `Complete ${name}` : description)}\n\n${details}`;
}

function inputStep(config: WorkflowConfig, { number }: PhaseConfig): string {
  const incoming = config.dataFlow
    .filter(({ to }) => to === `phase${number}`)
    .flatMap(({ variables }) => variables);
  const named = incoming.map((name) => `\`${name}\``).join(', ');
  const auto =
    number === 1 && config.features.hasAutoMode
      ? ' When `workflowPreferences.autoYes` is true, take defaults instead of asking.'
      : '';
  const other =
    number === 1
      ? config.preferenceQuestions.map(({ key }) => ` Honour \`workflowPreferences.${key}\`.`).join('')
      : '';
  const check =
    named === ''
      ? 'Nothing flows in; start from the structured request.'
      : `Check that ${named} ${incoming.length > 1 ? 'are' : 'is'} set, unless the phase that makes it was skipped. Name what is missing and stop.`;
  return `${check}${auto}${other}`;
}

/** S-067: role, task, input and output of a delegation. */
function delegation(config: WorkflowConfig, phase: PhaseConfig, type: string, { agent }: Tools): string {
  const incoming = config.dataFlow
    .filter(({ to }) => to === `phase${phase.number}`)
    .flatMap(({ variables }) => variables);
  const outputs = [...phase.outputVariables, ...phase.outputFiles];
  return [
    '```javascript',
    `${agent}({`,
    `  subagent_type: ${JSON.stringify(type)},`,
    `  description: ${JSON.stringify(phase.name)},`,
    '  prompt: `',
    `ROLE: You run phase ${phase.number} (${plain(phase.name)}) of ${plain(config.title)}.`,
    `TASK: ${plain(sentence(phase.description === '' ? phase.name : phase.description))}`,
    ...(phase.details === undefined
      ? []
      : [`DETAILS: (the text of the step "${plain(phase.name)}" above, word for word)`]),
    `INPUT: ${incoming.length === 0 ? 'the structured request' : incoming.join(', ')}`,
    `OUTPUT: ${outputs.length === 0 ? 'a summary in two or three sentences' : outputs.join(', ')}`,
    'RULES: Work only on this phase. Say what you could not find out.',
    '`',
    '})',
    '```',
  ].join('\n');
}

function plain(text: string): string {
  return text.replaceAll('`', "'").replaceAll('${', '{');
}

function outputLines(
  config: WorkflowConfig,
  { number, outputVariables, outputFiles }: PhaseConfig,
  { todo }: Tools,
): string[] {
  const last = number === config.phases.length || config.profile === 'router';
  const label = todo === 'TodoWrite' ? 'TodoWrite' : 'TaskUpdate';
  return [
    ...outputVariables.map((name) => `- **Variable**: \`${name}\``),
    ...outputFiles.map((file) => `- **File**: \`${file}\``),
    `- **${label}**: Mark Phase ${number} completed${last ? '' : `, Phase ${number + 1} in_progress`}`,
  ];
}

function nextSection(config: WorkflowConfig, { number }: PhaseConfig): string {
  const next = config.phases.find((phase) => phase.number === number + 1);
  if (config.profile === 'router')
    return '## Completion\n\nReturn to the coordinator with a summary of what was produced.';
  if (next === undefined) {
    return config.loop === undefined
      ? '## Completion\n\nReturn to the orchestrator. The workflow is complete; report the outputs of every phase.'
      : `## Completion\n\nReturn to the orchestrator. Loop Control decides between another round from Phase ${config.loop.from} and the end.`;
  }
  const file = phasePath(next).slice('phases/'.length);
  return `## Next Phase\n\nReturn to orchestrator, then auto-continue to [Phase ${next.number}: ${next.name}](${file}).`;
}
