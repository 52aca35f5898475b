import type { CommandSpec, LazyCommand } from '../../service/command.ts';
import type { DocumentPhase } from '../../workflows/feature/inputs.ts';

export const featureCommand: CommandSpec = {
  name: 'feature',
  summary: 'A feature from idea to code: directory, state, phases',
  examples: [
    ['charrette feature new "search by tag" --prd idea.md', 'a feature directory that grows from a PRD'],
    ['charrette feature status', 'where every feature stands'],
  ],
  subcommands: {
    new: {
      summary: 'Make the directory and state of a feature',
      load: async () => (await import('./feature-status.ts')).featureNewCommand,
    },
    specify: phase('specify', 'specify', 'spec.md'),
    design: phase('design', 'design', 'design.md'),
    plan: phase('plan', 'plan', 'plan.md'),
    tasks: phase('tasks', 'tasks', 'tasks.md'),
    implement: {
      summary: 'Carry out the tasks, deepen the tests, have the code reviewed and fixed',
      load: async () => (await import('./feature-phase.ts')).featureImplementCommand,
    },
    finish: {
      summary: 'Check, look back, keep the records, complete the feature',
      load: async () => (await import('./feature-finish.ts')).featureFinishCommand,
    },
    issues: {
      summary: 'The last reviews: both verdicts, issues with fingerprints',
      load: async () => (await import('./feature-waive.ts')).featureIssuesCommand,
    },
    waive: {
      summary: 'Accept an issue as it is, with a reason',
      load: async () => (await import('./feature-waive.ts')).featureWaiveCommand,
    },
    status: {
      summary: 'Phases, artifacts and what may come next',
      load: async () => (await import('./feature-status.ts')).featureStatusCommand,
    },
  },
};

function phase(name: string, of: DocumentPhase, file: string): LazyCommand {
  return {
    summary: `Write ${file}, have it reviewed and revised`,
    load: async () => (await import('./feature-phase.ts')).phaseCommand(name, of, file),
  };
}
