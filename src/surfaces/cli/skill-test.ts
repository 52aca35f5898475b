import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { CommandSpec } from '../../service/command.ts';
import { textOfFile } from '../../service/named-file.ts';
import { packageDirectories } from '../../skills/lint/lint-paths.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';
import { readOutputSchemas } from '../../skills/run/outputs.ts';
import { runPlan } from '../../skills/run/run-plan.ts';
import { readScenario, type ScenarioResult, simulate } from '../../skills/run/simulate.ts';
import { several } from './options.ts';

export const skillTest: CommandSpec = {
  examples: [
    ['charrette skill test my-skill', 'every scenario in my-skill/tests/*.json'],
    ['charrette skill test my-skill --scenario risk-high.json', 'one scenario'],
  ],
  arguments: [['[path]', 'package directory']],
  options: [{ flags: '--scenario <file>', description: 'a scenario file (repeat)', parse: several }],
  dryRun: 'reads',
  run: async ({ arguments: [given], options, global, signal }) => {
    const [directory, ...more] = packageDirectories(
      [typeof given === 'string' ? given : '.'],
      [],
      global.cwd,
    );
    if (directory === undefined || more.length > 0)
      throw new CharretteError({
        code: 'usage',
        message: `There are ${more.length + 1} packages; name one of them.`,
      });
    const plan = runPlan(buildPackage(readPackageFiles(directory)));
    const files = Array.isArray(options['scenario'])
      ? options['scenario'].map((file) => path.resolve(global.cwd, String(file)))
      : scenariosIn(directory);
    const results: ScenarioResult[] = [];
    const schemas = await readOutputSchemas(directory);
    for (const file of files) {
      const text = (await textOfFile(file, '--scenario', { global, signal })) ?? '';
      const scenario = readScenario(parseJson(text, file), path.basename(file));
      // Files that the script writes go to a separate folder, never into the project.
      const place = mkdtempSync(path.join(tmpdir(), 'charrette-skill-test-'));
      try {
        results.push(await simulate(plan, scenario, { directory: place, schemas }));
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    }
    const failed = results.filter(({ problems }) => problems.length > 0);
    const text = results
      .map(
        ({ name, problems, reached, skipped }) =>
          `${problems.length === 0 ? '✓' : '✗'} ${name}: reached ${reached.join(', ') || 'none'}${skipped.length > 0 ? `, skipped ${skipped.join(', ')}` : ''}\n${problems.map((problem) => `    ${problem}\n`).join('')}`,
      )
      .join('');
    return {
      exit: failed.length === 0 ? exitCodes.done : exitCodes.notAccepted,
      text,
      json: { passed: results.length - failed.length, failed: failed.length, scenarios: results },
    };
  },
};

function scenariosIn(directory: string): string[] {
  const folder = path.join(directory, 'tests');
  const found =
    statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      ? readdirSync(folder).filter((name) => name.endsWith('.json'))
      : [];
  if (found.length > 0) return found.sort().map((name) => path.join(folder, name));
  throw new CharretteError({
    code: 'not-found',
    message: `No scenario in ${folder}.`,
    fix: 'Write one as tests/NAME.json: {"task", "answers", "phases": {"1": {outputs}}, "expect": {"reached", "skipped", "values", "artifacts"}}.',
  });
}
