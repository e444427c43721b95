import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { sender } from '../emulator/raw.js';
import { type commandLine, said } from './programs.js';

/** What an emulator says of itself when it starts. */
export interface Line {
  readonly url: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly adminKey: string;
  readonly state?: string;
}

/** A folder for the files of a file of tests, and a name in it that is new. */
export function stateFolder() {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-state-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (ending: string): string => join(folder, `${++count}.${ending}`);
}

/** Starts emulators, and resolves once they listen. */
export const emulators =
  ({ sallyport }: ReturnType<typeof commandLine>) =>
  async (...args: string[]) => {
    const program = await said(sallyport('emulator', '--port', '0', '--json', '--quiet', ...args), '}\n');
    const line = JSON.parse(program.output.out) as Line;
    return { ...program, ...line, send: sender(fetch, line.url, line.apiKey) };
  };
