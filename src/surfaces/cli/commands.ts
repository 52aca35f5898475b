import type { LazyCommand } from './command.ts';

/** The table of commands. A module is loaded only when its command runs. */
export const commands: Readonly<Record<string, LazyCommand>> = {
  context: {
    summary: 'Design documents as one block under a token budget',
    load: async () => (await import('./context.ts')).contextCommand,
  },
  init: {
    summary: 'Set up a project, or bring its set-up to date',
    load: async () => (await import('./init.ts')).initCommand,
  },
  skill: {
    summary: 'Build, check and protect workflow skills',
    load: async () => (await import('./skill.ts')).skill,
  },
  prompt: {
    summary: 'The prompt that a role of a command gets',
    load: async () => (await import('./prompt.ts')).promptCommand,
  },
  design: {
    summary: 'Several agents sketch, argue, plan, review and vote',
    load: async () => (await import('./design.ts')).command,
  },
  'lite-plan': {
    summary: 'Explore, clarify, plan, confirm and carry out one task',
    load: async () => (await import('./lite-plan.ts')).command,
  },
  'lite-execute': {
    summary: 'Carry out a plan, a file or a prompt; test and review the result',
    load: async () => (await import('./lite-execute.ts')).command,
  },
  import: {
    summary: 'Take a design bundle (ZIP or HTML) over into the design folder',
    load: async () => (await import('./import.ts')).command,
  },
  refine: {
    summary: 'A builder and a fresh evaluator in turn until a page passes',
    load: async () => (await import('./refine.ts')).command,
  },
  plan: {
    summary: 'Check, show, compare and edit plans',
    load: async () => (await import('./plan.ts')).plan,
  },
  runs: {
    summary: 'List, export, import, prune and remove runs',
    load: async () => (await import('./runs.ts')).command,
  },
  show: {
    summary: 'One run: status, lanes, questions, artifacts, cost',
    load: async () => (await import('./show.ts')).command,
  },
  watch: {
    summary: 'Follow a run of this or another process',
    load: async () => (await import('./watch.ts')).command,
  },
  answer: {
    summary: 'Answer the questions of a run',
    load: async () => (await import('./answer.ts')).command,
  },
  resume: {
    summary: 'Go on with a run that paused, stopped, failed or was killed',
    load: async () => (await import('./resume.ts')).command,
  },
  cancel: {
    summary: 'End a run for good',
    load: async () => (await import('./cancel.ts')).command,
  },
  compare: {
    summary: 'Solo against panel on your own features: cost, coverage, blind verdicts',
    load: async () => (await import('./compare.ts')).command,
  },
  report: {
    summary: 'A run on one page: result, how it came about, cost',
    load: async () => (await import('./report.ts')).command,
  },
  costs: {
    summary: 'What the runs cost: by day, agent, model, command, phase or run',
    load: async () => (await import('./costs.ts')).command,
  },
  doctor: {
    summary: 'Agents found and their health, jail, git, store',
    load: async () => (await import('./doctor.ts')).command,
  },
  config: {
    summary: 'Every setting and where it comes from',
    load: async () => (await import('./config.ts')).command,
  },
  serve: {
    summary: 'The web page: every run, live, with its questions',
    load: async () => (await import('./serve.ts')).command,
  },
  worker: {
    summary: 'Take runs from the queue of a shared store',
    load: async () => (await import('./worker.ts')).command,
  },
  completion: {
    summary: 'Shell completion for bash, zsh and fish',
    load: async () => (await import('./completion.ts')).command,
  },
  mcp: {
    summary: 'An MCP server on stdin and stdout for coding agents',
    load: async () => (await import('./mcp.ts')).command,
  },
  hook: {
    summary: 'Called by coding agents at their events',
    load: async () => (await import('./hook.ts')).command,
  },
  acp: {
    summary: 'An agent on stdin and stdout for editors that speak ACP',
    load: async () => (await import('./acp.ts')).command,
  },
  tokens: {
    summary: 'What prompts cost, and what references and resuming save',
    load: async () => (await import('./tokens.ts')).tokensCommand,
  },
  'isolated-phase': {
    summary: '',
    load: async () => (await import('./isolated-phase.ts')).command,
  },
  feature: {
    summary: 'A feature from idea to code: directory, state, phases',
    load: async () => (await import('./feature.ts')).featureCommand,
  },
};
