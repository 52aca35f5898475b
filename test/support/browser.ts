import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { tellMissing } from './missing.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine; CHROMIUM names another. Absent where none is installed (`scripts/ci-machine.sh` does). */
export const chromiumPath = [process.env['CHROMIUM'], ...places].find(
  (place) => place !== undefined && existsSync(place),
);

if (chromiumPath === undefined) tellMissing('Chromium');

/** Headless, and without the connections that a browser opens for itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
