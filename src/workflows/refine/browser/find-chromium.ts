import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Names under which Chromium and its kin are installed, in order of preference. */
const programs: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];

const places: readonly string[] = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** The browser of this machine: `CHARRETTE_CHROMIUM`, else the first on PATH; `none` as its name switches it off. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment['CHARRETTE_CHROMIUM'];
  if (named !== undefined && named !== '') return named !== 'none' && isProgram(named) ? named : undefined;
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const candidates = programs.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...candidates, ...places].find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
