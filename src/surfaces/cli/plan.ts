import type { CommandSpec } from '../../service/command.ts';

export const plan: CommandSpec = {
  examples: [
    ['charrette plan check', 'the plan of the latest run against the repository'],
    ['charrette plan check docs/plan.md', 'any plan file'],
    ['charrette plan drift', 'what changed since the plan was made'],
    ['charrette plan export --format spec-kit', 'for another tool'],
    ['charrette plan edit latest --comment "keep the old endpoint"', 'have it revised and reviewed again'],
  ],
  subcommands: {
    check: {
      summary: 'Check every claim of a plan against the repository; exit 6 when it has errors',
      load: async () => (await import('./plan-check.ts')).planCheck,
    },
    show: { summary: 'Print a plan', load: async () => (await import('./plan-show.ts')).show },
    drift: {
      summary: 'Show what changed in the repository since a plan was made',
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
      summary: 'Make a plan from another tool, a Markdown task list or an older plan',
      load: async () => (await import('./plan-exchange.ts')).planImport,
    },
    manifest: {
      summary: 'Verify and print the files that a design handed to a calling program',
      load: async () => (await import('./plan-show.ts')).manifest,
    },
    edit: {
      summary: 'Change or comment a plan and have it reviewed again in a new run',
      load: async () => (await import('./plan-show.ts')).edit,
    },
  },
};
