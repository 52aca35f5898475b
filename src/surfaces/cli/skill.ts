import type { CommandSpec } from '../../service/command.ts';

export const skill: CommandSpec = {
  examples: [
    ['charrette skill new release-notes', 'a new skill, asked for on a terminal'],
    ['charrette skill lint .claude/skills/my-skill', 'check one package'],
    ['charrette skill lint --all .claude/skills', 'check all, also against each other'],
    ['charrette skill explain CP003', 'what a rule wants and why'],
  ],
  subcommands: {
    new: {
      summary: 'Create a workflow skill: a coordinator and one file per phase',
      load: async () => (await import('./skill-new.ts')).skillNew,
    },
    convert: {
      summary: 'Turn commands, a document, a text or a flat skill into a coordinator with phases',
      load: async () => (await import('./skill-convert.ts')).skillConvert,
    },
    lint: {
      summary: 'Check packages against the lint rules; exit 0 PASS, 6 REVIEW, 1 FAIL',
      load: async () => (await import('./skill-lint.ts')).skillLint,
    },
    fix: {
      summary: 'Apply automatic fixes; those that change more than markup need --unsafe',
      load: async () => (await import('./skill-fix.ts')).skillFix,
    },
    sync: {
      summary: 'Recompute sentinels, checkpoints and the Compact column; renumber phases',
      load: async () => (await import('./skill-fix.ts')).skillSync,
    },
    show: {
      summary: 'Show phases and data flow as a tree or a Mermaid chart',
      load: async () => (await import('./skill-show.ts')).skillShow,
    },
    run: {
      summary: 'Run a package with an agent: conditions and outputs checked, every answer saved',
      load: async () => (await import('./skill-run.ts')).skillRun,
    },
    test: {
      summary: 'Run a package against scripted agents; exit 6 when a scenario differs',
      load: async () => (await import('./skill-test.ts')).skillTest,
    },
    install: {
      summary: 'Copy packages to a host; those with errors need --force',
      load: async () => (await import('./skill-install.ts')).skillInstall,
    },
    uninstall: {
      summary: 'Remove installed files; changed files stay',
      load: async () => (await import('./skill-install.ts')).skillUninstall,
    },
    pack: {
      summary: 'Write a package into one archive; one with errors needs --force',
      load: async () => (await import('./skill-install.ts')).skillPack,
    },
    explain: {
      summary: 'Explain what a rule or a pattern requires, and why',
      load: async () => (await import('./skill-show.ts')).skillExplain,
    },
  },
};
