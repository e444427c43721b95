import { describe, expect, test } from 'vitest';
import { failures, printed, repeated, services, type Words } from '../servers/repeated-requests.js';
import { failureOf } from '../servers/server.js';
import { hurry } from '../time.js';
import { app, failing } from './app.js';

/** Everything that a page sees while its service or its `fetch` repeats each request, and the secrets that were sent. */
async function pageWith(answer: (words: Words) => Response) {
  const sent = new Set<string>();
  const seen: string[] = [];
  const see = (value: unknown): void => void seen.push(...printed(value));
  let isRepeating = false;
  const { service, open, signedIn } = app({
    environment: {
      fetch: async (input, init) => {
        if (!isRepeating) return service.fetch(input, init);
        const { code, code_verifier, refresh_token } = JSON.parse(String(init?.body));
        for (const secret of [code, code_verifier, refresh_token]) if (secret) sent.add(secret);
        return answer(repeated(input, init));
      },
    },
  });
  const { auth } = await signedIn();
  const returning = open();
  await returning.auth.signIn();
  returning.url = service.approve(returning.url);
  isRepeating = true;

  // Each call waits before it repeats its request.
  for (const call of [
    () => auth.getAccessToken({ forceRefresh: true }),
    () => auth.switchOrganization('org_1'),
    () => returning.auth.finishSignIn(),
  ])
    see((await hurry<unknown>(() => call().catch((error: unknown) => error))).value);
  return { sent, leaks: [...sent].filter((secret) => seen.some((text) => text.includes(secret))) };
}

describe("the browser client's errors and results contain no secret from a request", () => {
  test.each(
    Object.keys(services).flatMap((way) => [200, 400, 401, 404, 422, 500].map((status) => [status, way] as const)),
  )('even if a response with status %i echoes the request %s', async (status, way) => {
    const { sent, leaks } = await pageWith((words) => services[way]!(words, status));

    expect(leaks).toEqual([]);
    expect(sent.size).toBe(3);
  });

  test.each(Object.keys(failures))('even if a fetch error echoes the request %s', async (way) => {
    const { sent, leaks } = await pageWith((words) => {
      throw failures[way]!(words);
    });

    expect(leaks).toEqual([]);
    expect(sent.size).toBe(3);
  });
});

test('an error contains the message of a failed fetch if the message contains no secret', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();
  const mishap = () => {
    throw new TypeError('Failed to fetch');
  };

  const error = await failing(service, mishap, () => failureOf(auth.getAccessToken({ forceRefresh: true })));

  expect(String((error as Error).cause)).toContain('TypeError: Failed to fetch');
});
