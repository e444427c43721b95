import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { missingOf } from '../runner/requirements.js';

/** Start the Chromium of this machine, with optional arguments. For suites under `requires('chromium-headless-shell')`. */
export function launchChromium(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: [...args, ...more] });
}

/**
 * Find Debian's Chromium without windows. It has the network, pages and cookies of the whole browser, and takes half
 * of its processor time.
 */
export function chromiumPath(): string {
  const program = 'chromium-headless-shell';
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => missingOf([program], path).length === 0);
  return join(folder ?? '', program);
}

const args = [
  // Containers rarely allow the sandbox of Chromium, and it opens only the pages of these tests.
  '--no-sandbox',
  '--disable-gpu',
  // Nothing is sent to Google.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
