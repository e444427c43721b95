import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { missingOf } from '../runner/requirements.js';

/** Starts the Chromium of this machine, perhaps with more arguments; for suites under `requires('chromium-headless-shell')`. */
export function launchChromium(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: [...args, ...more] });
}

/**
 * Finds Debian's Chromium without windows. It has the network, the pages and the cookies of the whole browser, and takes
 * half of its processor time.
 */
export function chromiumPath(): string {
  const program = 'chromium-headless-shell';
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => missingOf([program], path).length === 0);
  return join(folder ?? '', program);
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
