import type { CommandSpec } from '../../service/command.ts';

export const skill: CommandSpec = {
  name: 'skill',
  summary: 'Build, check and protect workflow skills (SKILL.md and phases).',
  examples: [
    ['charrette skill new release-notes', 'a new skill, asked for on a terminal'],
    ['charrette skill lint .claude/skills/my-skill', 'check one package'],
    ['charrette skill lint --all .claude/skills', 'check all, also against each other'],
    ['charrette skill explain CP003', 'what a rule wants and why'],
  ],
  subcommands: {
    new: {
      summary: 'make a new workflow skill from ten answers',
      load: async () => (await import('./skill-new.ts')).skillNew,
    },
    convert: {
      summary: 'make a skill from commands, documents, text or a flat skill',
      load: async () => (await import('./skill-convert.ts')).skillConvert,
    },
    lint: {
      summary: 'check packages against the lint rules',
      load: async () => (await import('./skill-lint.ts')).skillLint,
    },
    fix: { summary: 'apply automatic fixes', load: async () => (await import('./skill-fix.ts')).skillFix },
    sync: {
      summary: 'recompute sentinels and checkpoints, renumber phases',
      load: async () => (await import('./skill-fix.ts')).skillSync,
    },
    show: {
      summary: 'phases and data flow as a tree or a Mermaid chart',
      load: async () => (await import('./skill-show.ts')).skillShow,
    },
    run: {
      summary: 'carry a package out with an agent, durably',
      load: async () => (await import('./skill-run.ts')).skillRun,
    },
    test: {
      summary: 'run a package against scripted agents',
      load: async () => (await import('./skill-test.ts')).skillTest,
    },
    install: {
      summary: 'copy packages to where a host looks for them',
      load: async () => (await import('./skill-install.ts')).skillInstall,
    },
    uninstall: {
      summary: 'remove what install wrote',
      load: async () => (await import('./skill-install.ts')).skillUninstall,
    },
    pack: {
      summary: 'one archive of a package',
      load: async () => (await import('./skill-install.ts')).skillPack,
    },
    explain: {
      summary: 'what a rule or a pattern requires, and why',
      load: async () => (await import('./skill-show.ts')).skillExplain,
    },
  },
};
