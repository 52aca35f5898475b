import path from 'node:path';
import pc from 'picocolors';
import type { ExitCode } from '../../base/error-table.ts';
import { exitCodes } from '../../base/error-table.ts';
import { parseJson } from '../../base/safe-json.ts';
import { version } from '../../base/version.ts';
import type { CommandSpec } from '../../service/command.ts';
import { textOfFile, writeNamedFile } from '../../service/named-file.ts';
import type { LintResult } from '../../skills/lint/engine.ts';
import { lintPaths, makeBaseline, readBaseline, withoutBaseline } from '../../skills/lint/lint-paths.ts';
import { type Paint, plainPaint, renderGithub, renderPretty, toSarif } from '../../skills/lint/render.ts';
import { countInherited, countOf } from '../../skills/lint/rule.ts';
import { type Profile, profiles } from '../../skills/model/identity.ts';
import { ruleById } from '../../skills/rules/catalog.ts';
import { several } from './options.ts';

export const skillLint: CommandSpec = {
  examples: [
    ['charrette skill lint', 'the package in this directory, or all below it'],
    ['charrette skill lint --all .claude/skills', 'a whole root, with the rules across packages'],
    ['charrette skill lint my-skill --format sarif > lint.sarif', 'for code scanning'],
    ['charrette skill lint --all skills --write-baseline .lint-baseline.json', 'accept the present findings'],
  ],
  arguments: [['[path...]', 'package directories, files of a package or roots']],
  options: [
    {
      flags: '--all <root>',
      description: 'lint every package below a root, also against each other',
      parse: several,
    },
    {
      flags: '--format <form>',
      description: 'output form',
      choices: ['pretty', 'json', 'sarif', 'github'],
      default: 'pretty',
    },
    {
      flags: '--fail-on <severity>',
      description: 'raise the exit for any finding of this severity',
      choices: ['error', 'warning'],
    },
    {
      flags: '--profile <profile>',
      description: 'take packages as this instead of detecting it',
      choices: profiles,
    },
    { flags: '--baseline <file>', description: 'report only what is not in this baseline' },
    { flags: '--write-baseline <file>', description: 'write the findings as a baseline and pass' },
  ],
  dryRun: 'says',
  run: async ({ arguments: [given], options, global, signal }) => {
    const roots = Array.isArray(options['all']) ? options['all'].map(String) : [];
    const named = Array.isArray(given) ? given : [];
    const paths = named.length === 0 && roots.length === 0 ? ['.'] : named;
    const cwd = global.cwd;
    let result = lintPaths({ paths, roots, cwd, profile: options['profile'] as Profile | undefined });
    const write = options['writeBaseline'];
    if (typeof write === 'string') {
      const baseline = makeBaseline(result);
      const text = `${JSON.stringify(baseline, null, 2)}\n`;
      if (!global.dryRun) await writeNamedFile(path.resolve(cwd, write), text);
      const count = Object.values(baseline.findings).reduce((sum, number) => sum + number, 0);
      return {
        exit: exitCodes.done,
        text: `${write}: ${count} findings ${global.dryRun ? 'would be ' : ''}accepted.\n`,
        json: { baseline: write, findings: count },
      };
    }
    const text = await textOfFile(options['baseline'], '--baseline', { global, signal });
    if (text !== undefined) {
      const baseline = String(options['baseline']);
      result = withoutBaseline(result, readBaseline(parseJson(text, baseline), baseline));
    }
    return {
      exit: exitOf(result, options['failOn']),
      text: render(result, options['format'], global.color.stdout),
      json: contractJson(result),
    };
  },
};

function exitOf(result: LintResult, failOn: unknown): ExitCode {
  const findings = result.packages.flatMap((entry) => entry.findings);
  if (result.gate === 'FAIL') return exitCodes.failed;
  if (failOn === 'error' && countOf(findings, 'error') > 0) return exitCodes.failed;
  if (result.gate === 'REVIEW') return exitCodes.notAccepted;
  return failOn === 'warning' && countOf(findings, 'warning') > 0 ? exitCodes.notAccepted : exitCodes.done;
}

function render(result: LintResult, format: unknown, color: boolean): string {
  if (format === 'json') return `${JSON.stringify(contractJson(result), null, 2)}\n`;
  if (format === 'sarif') return `${JSON.stringify(toSarif(result, ruleById, version), null, 2)}\n`;
  if (format === 'github') return renderGithub(result);
  return renderPretty(result, color ? painted : plainPaint);
}

const colors = pc.createColors(true);
const painted: Paint = (style, text) => colors[style](text);

function contractJson({ gate, packages }: LintResult): unknown {
  return {
    gate,
    packages: packages.map(({ path: where, name, profile, gate: own, findings, suppressed }) => ({
      path: where,
      name,
      profile,
      gate: own,
      findings,
      inherited: countInherited(findings),
      suppressed,
    })),
  };
}
