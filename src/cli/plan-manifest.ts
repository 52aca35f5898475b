import path from 'node:path';
import { type ManifestReading, readManifest } from '../plan/manifest-reader.ts';
import type { CommandSpec } from './command.ts';

/** L-800: for calling programs. What is wrong with a manifest is said in the output, never by the exit. */
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
  async run({ arguments: [directory], global }) {
    const reading = await readManifest(path.resolve(global.cwd, directory as string));
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
