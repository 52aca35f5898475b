import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { tellMissing } from './missing.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine; CHROMIUM names another. Absent where none is installed (`scripts/ci-machine.sh` does). */
export const chromiumPath = [process.env['CHROMIUM'], ...places].find(
  (place) => place !== undefined && existsSync(place),
);

if (chromiumPath === undefined) tellMissing('Chromium');

/** The defaults of half a minute are little on a busy machine. */
const limits = { launch: 180_000, page: 120_000 };

/** Headless, and without the connections that a browser opens for itself. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    timeout: limits.launch,
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
  // Each page belongs to one, those of `newPage` to one of their own.
  browser.on('context', (context) => context.setDefaultTimeout(limits.page));
  return browser;
}
