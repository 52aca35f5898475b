import type { CommandSpec, LazyCommand } from '../../service/command.ts';
import type { DocumentPhase } from '../../workflows/feature/inputs.ts';

export const featureCommand: CommandSpec = {
  examples: [
    ['charrette feature new "search by tag" --prd idea.md', 'a feature directory that grows from a PRD'],
    ['charrette feature status', 'the phase of every feature'],
  ],
  subcommands: {
    new: {
      summary: 'Create the directory and state of a feature',
      load: async () => (await import('./feature-status.ts')).featureNewCommand,
    },
    specify: phase('specify', 'specify', 'spec.md'),
    design: phase('design', 'design', 'design.md'),
    plan: phase('plan', 'plan', 'plan.md'),
    tasks: phase('tasks', 'tasks', 'tasks.md'),
    implement: {
      summary: 'Implement the tasks, extend the tests, have the code reviewed and fixed',
      load: async () => (await import('./feature-phase.ts')).featureImplementCommand,
    },
    finish: {
      summary: 'Run the checks, write retro.md, save the history, complete the feature',
      load: async () => (await import('./feature-finish.ts')).featureFinishCommand,
    },
    issues: {
      summary: 'Show the last reviews: verdicts, and issues with fingerprints',
      load: async () => (await import('./feature-waive.ts')).featureIssuesCommand,
    },
    waive: {
      summary: 'Accept an issue with a reason, so that the gate lets it pass',
      load: async () => (await import('./feature-waive.ts')).featureWaiveCommand,
    },
    status: {
      summary: 'Show phases, artifacts and what may come next',
      load: async () => (await import('./feature-status.ts')).featureStatusCommand,
    },
  },
};

function phase(name: string, of: DocumentPhase, file: string): LazyCommand {
  return {
    summary: `Write ${file}, have it reviewed and revised, complete the phase`,
    load: async () => (await import('./feature-phase.ts')).phaseCommand(name, of),
  };
}
