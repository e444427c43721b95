import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { takesLong } from '../../runner/requirements.js';

/** An emulator with directories, on a port. */
async function directories(count: number, usersOfEach: number) {
  const emulator = await createEmulator({ rateLimits: true });
  onTestFinished(() => emulator.close());
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const directory = await emulator.createDirectory({ name: `Directory ${at}`, type: 'okta scim v2.0' });
    for (let user = 0; user < usersOfEach; user++)
      await emulator.createDirectoryUser({ directoryId: directory.id, email: `user-${user}@d${at}.test` });
    ids.push(directory.id);
  }
  return { emulator, ids, baseUrl: await emulator.listen() };
}

takesLong('list iterations over rate-limited directories', () => {
  test('receive no 429 responses if the limits option is "published"', { timeout: 120_000 }, async () => {
    const { emulator, ids, baseUrl } = await directories(10, 25);
    const statuses: number[] = [];
    const recording: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      statuses.push(answer.status);
      return answer;
    };
    const { apiKey } = emulator.credentials;
    const sallyport = new Sallyport({ apiKey, baseUrl, limits: 'published', fetch: recording });

    // Five walks over each directory, of five pages each.
    const walks = Array.from({ length: 50 }, (_, walk) =>
      sallyport.directorySync.listUsers({ directory: ids[walk % 10]!, limit: 5 }).toArray({ max: 1_000 }),
    );
    const lists = await Promise.all(walks);

    expect(lists.map(({ length }) => length)).toEqual(Array(50).fill(25));
    expect(statuses).toEqual(Array(250).fill(200));
  });

  test('can receive 429 responses if the limits option is not set', async () => {
    const { emulator, ids, baseUrl } = await directories(1, 25);
    const { apiKey } = emulator.credentials;
    const sallyport = new Sallyport({ apiKey, baseUrl, maxRetries: 0 });

    const walks = Array.from({ length: 5 }, () =>
      sallyport.directorySync.listUsers({ directory: ids[0]!, limit: 5 }).toArray({ max: 1_000 }),
    );
    const outcomes = await Promise.allSettled(walks);

    expect(outcomes.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });
});

takesLong('eleven sign-ins with one email address in a minute', () => {
  test('receive no 429 responses, because the eleventh waits', { timeout: 90_000 }, async () => {
    const emulator = await createEmulator({ rateLimits: true });
    onTestFinished(() => emulator.close());
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch, limits: 'published' });
    const credentials = { email: 'ada@example.com', password: 'analytical-engine' };
    await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });

    for (let at = 0; at < 10; at++) await sallyport.userManagement.authenticateWithPassword(credentials);
    const eleventh = sallyport.userManagement.authenticateWithPassword(credentials, { deadlineMs: 200 });

    await expect(eleventh).rejects.toMatchObject({ code: 'timeout', attempts: 0 });
    expect(emulator.requests.list().filter(({ status }) => status === 429)).toEqual([]);
  });
});
