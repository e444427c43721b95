import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { commandLine, type Running, runtimes, said } from './programs.js';

const { run, file } = commandLine();

requires(...Object.keys(runtimes))('a seed in TypeScript', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-typescript-'));
    write('people.ts', 'ada');
    writeFileSync(
      join(folder, 'sallyport.seed.ts'),
      `import type { Seed } from 'sallyport/emulator';
import { people } from './people.ts';

export default async (): Promise<Seed> => ({ users: people } satisfies Seed);
`,
    );
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, person: string): void =>
    writeFileSync(
      join(folder, name),
      `export const people: { readonly email: string }[] = [{ email: '${person}@acme.test' }];\n`,
    );

  const emulator = (runtime: keyof typeof runtimes): Running =>
    run(runtime, [...runtimes[runtime], file(), 'emulator', '--port', '0', '--json', '--watch'], { cwd: folder });

  test.each(['node22', 'node24', 'node26', 'bun', 'deno'] as const)(
    'is run by %s, and again on changes',
    async (runtime) => {
      const program = await said(emulator(runtime), '}\n');
      expect(program.output.err).toBe('');
      expect(JSON.parse(program.output.out).seed).toBe('sallyport.seed.ts');

      write('people.ts', 'grace');
      // Bun does not say what a module imports.
      if (runtime === 'bun')
        writeFileSync(
          join(folder, 'sallyport.seed.ts'),
          "import { people } from './people.ts';\nexport default { users: people };\n",
        );
      await said(program, 'changes');

      expect(JSON.parse(program.output.out.split('\n')[1]!).changes).toEqual([
        'users: 1 added (grace@acme.test), 1 removed (ada@acme.test)',
      ]);
    },
  );

  test('is refused by Node 20, with what to do', async () => {
    const { output, exit } = emulator('node20');

    expect(await exit).toBe(1);
    expect(output.err).toMatch(
      /^sallyport: The seed sallyport\.seed\.ts cannot be run\. Node v20\.\d+\.\d+ cannot run TypeScript\. Use Node 22\.18 or later, .*\n$/,
    );
  });
});
