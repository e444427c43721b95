import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { apartFrom, budgets, programs, strangersIn } from './budgets.js';
import { bundle } from './bundle.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Bundle the program of this budget, without code that is loaded at first use if the budget excludes it. */
const packed = (which: keyof typeof budgets) => bundle(programs[which], root, apartFrom[which]);
/** Names of the packages with code in it. */
const packagesIn = (files: readonly string[]) =>
  [...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))].sort();

describe('a bundle', () => {
  test("with the client's initial code stays within the size budget, and contains no dependencies", async () => {
    const { gzipped, files } = await packed('client');

    expect(gzipped).toBeLessThanOrEqual(budgets.client);
    expect(files).toContain('src/client/organizations.ts');
    expect(files).not.toContain('src/service/organizations.ts');
    // The class and the message of an error must not depend on code that is loaded later.
    expect(files).toEqual(
      expect.arrayContaining(['src/transport/answer/refusal.ts', 'src/transport/answer/unreachable.ts']),
    );
    expect(packagesIn(files)).toEqual([]);
    expect(strangersIn(files)).toEqual([]);
  });

  test("with the code for the client's first call stays within the size budget, and contains no dependency except ky", async () => {
    const { gzipped, files } = await packed('clientCalled');

    expect(gzipped).toBeLessThanOrEqual(budgets.clientCalled);
    expect(packagesIn(files)).toEqual(['ky']);
    expect(files.filter((file) => file.includes('/operations/'))).toEqual(['src/client/operations/organizations.ts']);
  });

  test('with the client, sessions and webhooks stays within the size budget', async () => {
    const { gzipped, files } = await packed('clientWithAll');

    expect(gzipped).toBeLessThanOrEqual(budgets.clientWithAll);
    expect(files).toEqual(
      expect.arrayContaining(['src/client/opened-session.ts', 'src/service/fga.ts', 'src/webhooks/verify.ts']),
    );
    expect(packagesIn(files)).toEqual(['iron-webcrypto', 'jose', 'ky', 'uint8array-extras']);
    expect(strangersIn(files)).toEqual([]);
  });

  test('with the webhooks entry stays within the size budget and contains no client code', async () => {
    const { gzipped, files } = await packed('webhooks');

    expect(gzipped).toBeLessThanOrEqual(budgets.webhooks);
    expect(
      files.filter((file) => !/^src\/(?:webhooks|crypto|errors|http\/environment)\b|^<stdin>$/.test(file)),
    ).toEqual([]);
    expect(files).not.toContain('src/webhooks/receive.ts');
    expect(strangersIn(files)).toEqual([]);
  });

  test('with the webhook receiver stays within the size budget and contains no client or store code', async () => {
    const { gzipped, files } = await packed('webhooksReceived');

    expect(gzipped).toBeLessThanOrEqual(budgets.webhooksReceived);
    expect(files).toContain('src/webhooks/receive.ts');
    expect(files.filter((file) => !/^src\/(?:webhooks|crypto|http|async|errors)\/|^<stdin>$/.test(file))).toEqual([]);
  });

  test.each(['sessionReader', 'session', 'sessionWithAll', 'next'] as const)(
    'with the %s program stays within the size budget and contains no client code',
    async (which) => {
      const { gzipped, files } = await packed(which);

      expect(gzipped).toBeLessThanOrEqual(budgets[which]);
      expect(files).toContain('src/session/read/reader.ts');
      expect(files.filter((file) => /^src\/(?:client|transport|service)\//.test(file))).toEqual([]);
      expect(packagesIn(files)).toEqual(['iron-webcrypto', 'jose', 'uint8array-extras']);
      expect(strangersIn(files)).toEqual([]);
    },
  );

  test('with the browser entry puts the sign-in code in a separate file', async () => {
    const { files } = await packed('browser');

    expect(files).toContain('src/browser/client.ts');
    expect(files).not.toContain('src/browser/sign-ins.ts');
    expect((await packed('browserWithAll')).files).toContain('src/browser/sign-ins.ts');
  });

  test.each(['browser', 'browserWithAll'] as const)(
    'with the %s program stays within the size budget and contains no dependencies',
    async (which) => {
      const { gzipped, files } = await packed(which);

      expect(gzipped).toBeLessThanOrEqual(budgets[which]);
      expect(files.filter((file) => /^src\/(?:client|transport|service|session)\//.test(file))).toEqual([]);
      expect(packagesIn(files)).toEqual([]);
      expect(strangersIn(files)).toEqual([]);
    },
  );

  test('with the serverSession program stays within the size budget and contains no client code', async () => {
    const { gzipped, files } = await packed('serverSession');

    expect(gzipped).toBeLessThanOrEqual(budgets.serverSession);
    expect(files).not.toContain('src/browser/client.ts');
    expect(packagesIn(files)).toEqual([]);
  });

  test('with the React entry stays within the size budget and contains neither React nor a client', async () => {
    const { code, gzipped, files } = await packed('react');

    expect(gzipped).toBeLessThanOrEqual(budgets.react);
    expect(files).toContain('src/react/provider.ts');
    expect(files).not.toContain('src/browser/client.ts');
    expect(files.filter((file) => !/^src\/(?:react|browser|oauth|http|async|errors)\/|^<stdin>$/.test(file))).toEqual(
      [],
    );
    expect(new Set(code.match(/from"[^"]+"/g))).toEqual(new Set(['from"react"']));
  });

  test.each(['streams', 'stores'] as const)(
    'with the %s entry stays within the size budget and contains no client code',
    async (which) => {
      const { gzipped, files } = await packed(which);

      expect(gzipped).toBeLessThanOrEqual(budgets[which]);
      // The tables of event objects have only field names, and no descriptions.
      const others = files.filter((file) => file !== 'src/service/events/objects.ts');
      expect(others.filter((file) => /^src\/(?:client|transport|session|service)\//.test(file))).toEqual([]);
      expect(packagesIn(files)).toEqual([]);
      expect(strangersIn(files)).toEqual([]);
    },
  );

  test.each(['mirror', 'mirrorWithAll'] as const)(
    'with the %s program stays within the size budget and contains no client code',
    async (which) => {
      const { gzipped, files } = await packed(which);

      expect(gzipped).toBeLessThanOrEqual(budgets[which]);
      expect(files.includes('src/streams/follow/follow.ts')).toBe(which === 'mirrorWithAll');
      expect(files.filter((file) => /^src\/(?:client|transport|session)\//.test(file))).toEqual([]);
      expect(packagesIn(files)).toEqual([]);
      expect(strangersIn(files)).toEqual([]);
    },
  );

  test('with zod exceeds the size budget of the client', async () => {
    const { gzipped, files } = await bundle("import { z } from 'zod';\nglobalThis.schema = z.string();", root);

    expect(gzipped).toBeGreaterThan(budgets.client);
    expect(strangersIn(files).length).toBeGreaterThan(0);
    expect(packagesIn(files)).toEqual(['zod']);
    expect(strangersIn(['src/emulator/store.ts', 'src/client/users.ts'])).toEqual(['src/emulator/store.ts']);
  });
});
