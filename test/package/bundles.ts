import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { afterFirstCall, apartFrom, budgets, programs } from './budgets.js';
import { bundle } from './bundle.js';
import type { Installed } from './install.js';
import { firstCalls, loadedBy } from './pieces.js';

/** Bundle programs with the installed package. */
export const suiteOfBundles = (installed: () => Installed): void => {
  // Records have the names of their literals.
  test.each(Object.keys(budgets) as (keyof typeof budgets)[])(
    'with the %s program stays within the size budget',
    async (which) => {
      const { gzipped } = await bundle(programs[which], installed().folder, apartFrom[which]);

      expect(gzipped).toBeLessThanOrEqual(budgets[which]);
    },
  );

  test('loads only one group of methods on the first call, and stays within the size budget', async () => {
    const { start, after } = await loadedBy(installed().folder);
    const sizes = Object.values(after).map(({ gzipped }) => gzipped);

    expect(after.organizations.gzipped).toBeLessThanOrEqual(afterFirstCall.organizations);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(afterFirstCall.anyRoom);
    for (const [room, { pieces }] of Object.entries(after)) {
      expect(start.pieces).not.toContain(room);
      expect(pieces.filter((piece) => piece === 'ky' || piece in firstCalls).sort()).toEqual(['ky', room].sort());
    }
  });

  test('contains only the cryptography code for the target platform', async () => {
    const filesOf = async (platform: 'browser' | 'node') =>
      (await bundle(programs.session, installed().folder, undefined, platform)).files.map((file) =>
        file.replace(/^.*dist\//, ''),
      );

    expect(await filesOf('node')).toEqual(['node/session.js', '<stdin>']);
    expect(await filesOf('browser')).toContain('session.js');
    expect((await filesOf('browser')).filter((file) => file.startsWith('node/'))).toEqual([]);
  });

  test('runs as a single ES module that contains the emulator', async () => {
    const program = `import { createEmulator } from 'sallyport/emulator';
const emulator = await createEmulator();
console.log(emulator.credentials.clientId);
await emulator.listen();
await emulator.close();`;
    const { code } = await bundle(program, installed().folder, undefined, 'node');
    const alone = join(mkdtempSync(join(tmpdir(), 'sallyport-bundle-')), 'program.mjs');
    writeFileSync(alone, code);

    expect(execFileSync(process.execPath, [alone], { encoding: 'utf8' })).toBe('client_sallyport_emulator\n');
    rmSync(dirname(alone), { recursive: true });
  });
};
