import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';

/** Create a folder for the seed files of one suite, removed after it. The result writes a file and returns its path. */
export function seedFolder(): (content: string | Uint8Array, ending?: string) => string {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-seed-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (content, ending = 'yaml') => {
    const file = join(folder, `seed-${++count}.${ending}`);
    writeFileSync(file, content);
    return file;
  };
}

/** The lines of the error for a refused seed, without the first; its file is called `seed`. */
export async function refusalOf(seed: string | object): Promise<string[]> {
  const error = await createEmulator({ seed }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_seed' });
  const { message } = error as Error;
  return (typeof seed === 'string' ? message.replaceAll(seed, 'seed') : message).split('\n').slice(1);
}

/** Everything that can be printed of the error for a refused seed, or an empty string if the seed is accepted. */
export async function printedFor(seed: string | object): Promise<string> {
  try {
    await (await createEmulator({ seed })).close();
    return '';
  } catch (error) {
    return `${(error as Error).message}\n${inspect(error, { depth: 9 })}`.replaceAll(String(seed), 'seed');
  }
}
