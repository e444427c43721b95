import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { commandLine, type Running, runtimes, untilPrinted } from './programs.js';

const { run, file } = commandLine();

requires(...Object.keys(runtimes))('a seed in TypeScript', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-typescript-'));
    write('ada');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string): void =>
    writeFileSync(
      join(folder, 'sallyport.seed.ts'),
      `import type { Seed } from 'sallyport/emulator';

export default async (): Promise<Seed> => ({ users: [{ email: '${name}@acme.test' }] } satisfies Seed);
`,
    );

  const emulator = (runtime: keyof typeof runtimes): Running =>
    run(runtime, [...runtimes[runtime], file(), 'emulator', '--port', '0', '--json', '--watch'], { cwd: folder });

  test.each(['node22', 'node24', 'node26', 'bun', 'deno'] as const)(
    'is loaded on %s at the start and after a change',
    async (runtime) => {
      const program = await untilPrinted(emulator(runtime), '}\n');
      expect(program.output.err).toBe('');
      expect(JSON.parse(program.output.out).seed).toBe('sallyport.seed.ts');

      write('grace');
      await untilPrinted(program, 'changes');

      expect(JSON.parse(program.output.out.split('\n')[1]!).changes).toEqual(['users']);
    },
  );

  test('is rejected on Node 20 with an error that says to use Node 22.18 or later', async () => {
    const { output, exit } = emulator('node20');

    expect(await exit).toBe(1);
    expect(output.err).toMatch(
      /^sallyport: The seed sallyport\.seed\.ts cannot be run\. Node v20\.\d+\.\d+ cannot run TypeScript\. Use Node 22\.18 or later, .*\n$/,
    );
  });
});
