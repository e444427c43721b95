import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { missingOf } from '../runner/requirements.js';

/** Starts the Chromium of this machine, perhaps with more arguments; for suites under `requires('chromium')`. */
export function launchChromium(...more: readonly string[]): Promise<Browser> {
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => missingOf(['chromium'], path).length === 0);
  return chromium.launch({ executablePath: join(folder ?? '', 'chromium'), args: [...args, ...more] });
}

const args = [
  // Containers rarely allow Chromium's own sandbox; the pages it opens here are ours.
  '--no-sandbox',
  '--disable-gpu',
  // It keeps to itself.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
