import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { mirror } from '../../src/mirror/index.js';
import { emptySqlite } from '../databases/sqlite.js';
import { takesLong } from '../runner/requirements.js';
import { sharedSigningKey } from '../stage.js';

/** Four directories with 10,000 users each. */
const directories = [1, 2, 3, 4].map((number) => ({
  name: `Directory ${number}`,
  type: 'okta scim v2.0',
  users: Array.from({ length: 10_000 }, (_, user) => ({ email: `user${user}@directory${number}.test` })),
}));

takesLong('the first copy of 40,000 directory users during 100 reads per second by another client', () => {
  test('gets no 429 responses, and uses at least 70% of its share of the rate limits', async () => {
    const signingKey = sharedSigningKey();
    const emulator = await createEmulator({ rateLimits: true, signingKey, seed: { directories } });
    onTestFinished(() => emulator.close());
    // The other client has another address, and the emulator sees one address only.
    await emulator.clearRateLimit('all_requests');
    const pages: { readonly at: number; readonly status: number }[] = [];
    const recording: typeof fetch = async (input, init) => {
      const at = performance.now();
      const response = await emulator.fetch(input, init);
      if (String(input instanceof Request ? input.url : input).includes('/directory_users?'))
        pages.push({ at, status: response.status });
      return response;
    };
    const { credentials } = emulator;
    const other = new Sallyport({ ...credentials, fetch: emulator.fetch, maxRetries: 0 });
    let reads = 0;
    const timer = setInterval(() => {
      for (; reads < (performance.now() - beganAt) / 10; reads++)
        void other.userManagement.listUsers({ limit: 1 }).then(undefined, () => {});
    }, 10);
    const beganAt = performance.now();
    onTestFinished(() => clearInterval(timer));
    const copy = mirror(new Sallyport({ ...credentials, fetch: recording, maxRetries: 0 }), {
      into: emptySqlite(),
      of: ['directories', 'directory_users'],
      maxLagMs: 10_000,
    });
    onTestFinished(() => copy.close());
    await copy.setUp();

    void copy.run();
    await copy.ready({ timeoutMs: 150_000 });

    expect((await copy.status()).counts).toEqual({ directories: 4, directory_users: 40_000 });
    expect(pages.filter(({ status }) => status !== 200)).toEqual([]);
    expect(pages).toHaveLength(400);
    // Half of four requests a second for each of four directories.
    const seconds = (pages.at(-1)!.at - pages[0]!.at) / 1_000;
    expect(pages.length / seconds / 8).toBeGreaterThan(0.7);
    expect(reads / ((performance.now() - beganAt) / 1_000)).toBeGreaterThan(90);
  }, 180_000);
});
