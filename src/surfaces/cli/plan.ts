import type { CommandSpec } from '../../service/command.ts';

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Check, show, compare, edit, export and import plans',
  examples: [
    ['charrette plan check', 'the plan of the latest run against the repository'],
    ['charrette plan check docs/plan.md', 'any plan file'],
    ['charrette plan drift', 'what changed since the plan was made'],
    ['charrette plan export --format spec-kit', 'for another tool'],
    ['charrette plan edit latest --comment "keep the old endpoint"', 'have it revised and reviewed again'],
  ],
  subcommands: {
    check: {
      summary: 'Validate a plan against the repository',
      load: async () => (await import('./plan-check.ts')).planCheck,
    },
    show: { summary: 'Print a plan', load: async () => (await import('./plan-show.ts')).show },
    drift: {
      summary: 'What changed since a plan’s base commit',
      load: async () => (await import('./plan-show.ts')).drift,
    },
    diff: {
      summary: 'Compare two plans, or a plan before and after review',
      load: async () => (await import('./plan-show.ts')).diff,
    },
    export: {
      summary: 'Write a plan for GitHub spec-kit, OpenSpec, or as an issue',
      load: async () => (await import('./plan-exchange.ts')).planExport,
    },
    import: {
      summary: 'Make a plan of the files of another tool',
      load: async () => (await import('./plan-exchange.ts')).planImport,
    },
    manifest: {
      summary: 'Verify what a design handed to a calling program',
      load: async () => (await import('./plan-show.ts')).manifest,
    },
    edit: {
      summary: 'Change or comment a plan and have it reviewed again',
      load: async () => (await import('./plan-show.ts')).edit,
    },
  },
};
