import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { budgets, programs, strangersIn } from './package/budgets.js';
import { bundle } from './package/bundle.js';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('a program that uses', () => {
  test('the client stays within its budget and holds nothing of the emulator', async () => {
    const { gzipped, files } = await bundle(programs.client, root);

    expect(gzipped).toBeLessThanOrEqual(budgets.client);
    expect(files).toContain('src/client/organizations.ts');
    expect(files).toContain('node_modules/ky/distribution/index.js');
    expect(strangersIn(files)).toEqual([]);
  });

  test('webhooks stays within 1.5 KB and holds nothing of the client', async () => {
    const { gzipped, files } = await bundle(programs.webhooks, root);

    expect(gzipped).toBeLessThanOrEqual(budgets.webhooks);
    expect(files.filter((file) => !/^src\/(?:webhooks|crypto|errors)\/|^<stdin>$/.test(file))).toEqual([]);
    expect(strangersIn(files)).toEqual([]);
  });

  test('more than it should would be noticed', async () => {
    const { gzipped, files } = await bundle("import { z } from 'zod';\nglobalThis.schema = z.string();", root);

    expect(gzipped).toBeGreaterThan(budgets.client);
    expect(strangersIn(files).length).toBeGreaterThan(0);
    expect(strangersIn(['src/emulator/store.ts', 'src/client/users.ts'])).toEqual(['src/emulator/store.ts']);
  });
});
