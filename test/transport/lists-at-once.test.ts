import { pMapIterable } from 'p-map';
import { type Directory, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { type Received, say, serve } from '../servers/server.js';
import { settle } from '../time.js';

/** The emulator over HTTP, with nine directories of three users. The test decides when a request is answered. */
async function nineDirectories(before: (request: Received) => unknown = () => {}) {
  const emulator = await createEmulator({
    seed: {
      directories: Array.from({ length: 9 }, (_, at) => ({
        id: `directory_${at}`,
        name: `Directory ${at}`,
        users: [1, 2, 3].map((user) => ({ idp_id: `${at}_${user}`, email: `${user}@d${at}.test` })),
      })),
    },
  });
  onTestFinished(() => emulator.close());
  const { baseUrl, ...credentials } = emulator.credentials;
  const cut: string[] = [];
  const server = await serve(async (request, response) => {
    void request.cut.then((wasCut) => wasCut && cut.push(`${request.query.get('directory')}`));
    await before(request);
    if (response.destroyed) return;
    const { authorization } = request.headers as { authorization: string };
    const answer = await emulator.fetch(`${baseUrl}${request.target}`, { headers: { authorization } });
    say(response, { status: answer.status, body: await answer.text() });
  });
  const { directorySync } = new Sallyport({ ...credentials, baseUrl: server.url, maxRetries: 0 });
  const controller = new AbortController();
  const { signal } = controller;
  const usersOf = ({ id }: Directory) => directorySync.listUsers({ directory: id }, { signal }).toArray({ max: 100 });
  const directories = directorySync.listDirectories({ order: 'asc' }, { signal });
  const lists = pMapIterable(directories, usersOf, { concurrency: 3, preserveOrder: false });
  const listRequests = () => server.requests.filter(({ path }) => path === '/directory_users').length;
  return { lists, controller, cut, listRequests };
}

test('pMapIterable yields the users of all directories, with one request for each directory', async () => {
  const { lists, listRequests } = await nineDirectories();
  const emails: (string | null | undefined)[] = [];

  for await (const users of lists) for (const user of users) emails.push(user.email);

  expect(new Set(emails).size).toBe(27);
  expect(listRequests()).toBe(9);
});

test('an abort after a break from a pMapIterable loop cancels requests in flight and prevents further requests', async () => {
  const first = 'directory_0';
  const { lists, controller, cut, listRequests } = await nineDirectories(
    ({ query }) => ![null, first].includes(query.get('directory')) && new Promise(() => {}),
  );
  let count = 0;

  try {
    for await (const users of lists) {
      count += users.length;
      await expect.poll(listRequests).toBe(4);
      break;
    }
  } finally {
    controller.abort();
  }

  await expect.poll(() => cut.length).toBe(3);
  await settle();
  expect(count).toBe(3);
  expect(listRequests()).toBe(4);
});
