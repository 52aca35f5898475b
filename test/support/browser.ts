import { type Browser, chromium } from 'playwright-core';
import { optionalProgram } from './optional-programs.ts';

/** The Chromium that the program would use, if it works. */
export const chromiumPath = optionalProgram('chromium');

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
  // Each page belongs to one, those of `newPage` to a separate one.
  browser.on('context', (context) => context.setDefaultTimeout(limits.page));
  return browser;
}
