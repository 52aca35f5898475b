import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { type ManifestReading, readManifest } from '../../plan/manifest-reader.ts';
import type { CommandSpec } from '../../service/command.ts';

/** L-800: calling programs read KEY=value lines from a pipe, with exit 0 in any case. As JSON and on a terminal a failure is an error. */
export const manifest: CommandSpec = {
  name: 'manifest',
  summary: 'Verify what a design handed to a calling program, and print its files',
  examples: [
    [
      'charrette plan manifest /tmp/caller',
      'KEY=value lines: MANIFEST_OK=true first, or MANIFEST_FAILED=true',
    ],
    ['charrette plan manifest /tmp/caller --json', 'as data'],
  ],
  arguments: [['<directory>', 'the directory of the file that --session-env named']],
  dryRun: 'reads',
  async run({ arguments: [given], global, terminal }) {
    const directory = path.resolve(global.cwd, given as string);
    const reading = await readManifest(directory);
    if (!reading.ok && (global.output !== 'text' || terminal.stdout.isTTY === true))
      throw new CharretteError({
        code: reading.error === 'manifest-not-found' ? 'not-found' : 'manifest-invalid',
        message: `The manifest of ${directory} cannot be used: ${reading.error}.`,
        fix: 'Run `charrette design --session-env FILE` again, with a file in that directory.',
      });
    return { exit: 0, text: `${linesOf(reading).join('\n')}\n`, json: reading };
  },
};

/** L-804, L-805 */
function linesOf(reading: ManifestReading): string[] {
  if (!reading.ok) return ['MANIFEST_FAILED=true', `ERROR=${reading.error}`];
  const { files, timestamp, sessionId } = reading;
  return [
    'MANIFEST_OK=true',
    ...Object.entries(files).map(([key, file]) => `${key}=${file}`),
    `TIMESTAMP=${timestamp}`,
    `SESSION_ID=${sessionId}`,
    `📥 1: design plan — manifest loaded (plan=${path.basename(files['PLAN_FILE'] ?? '')})`,
  ];
}
