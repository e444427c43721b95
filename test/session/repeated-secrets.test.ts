import { createSessions, type SessionProblem } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import {
  core,
  failures,
  leakIn,
  printed,
  repeated,
  secretOf,
  services,
  type Words,
} from '../servers/repeated-requests.js';
import { noon, service, userId } from './issuer.js';
import { Jar } from './jar.js';

const apiKey = `sk_live_${core('apiKey')}`;
const code = secretOf('code');
/** Tokens whose access token has expired. */
const tokens = {
  user: { id: userId, email: 'ada@example.com' },
  organizationId: null,
  accessToken: service.token({ iat: noon / 1_000 - 360, exp: noon / 1_000 - 60 }),
  refreshToken: secretOf('refreshToken'),
};

/** An application with a service or `fetch` that repeats each request, and everything that it makes visible. */
function application(answer: (words: Words) => Response) {
  const seen: string[] = [];
  /** Code verifiers and idempotency keys, which the package creates itself. */
  const made = new Set<string>();
  const problems: SessionProblem[] = [];
  const see = (value: unknown): void => void seen.push(...printed(value));
  const sessions = createSessions({
    cookiePassword: 'correct-horse-battery-staple-0001',
    clientId: 'client_1',
    apiKey,
    redirectUri: 'https://app.example.com/callback',
    baseUrl: 'https://api.example.com',
    keys: service.keys,
    now: () => noon,
    refresh: { maxRetries: 0 },
    onProblem: (problem) => {
      problems.push(problem);
      see(problem);
    },
    fetch: async (input, init) => {
      const { code_verifier } = JSON.parse(String(init?.body));
      for (const one of [code_verifier, Object(init?.headers)['idempotency-key']]) if (one) made.add(one);
      return answer(repeated(input, init));
    },
  });
  const browser = new Jar();
  return {
    sessions,
    browser,
    see,
    /** Secrets that were visible. */
    leaks: () => [
      ...new Set(seen.flatMap((text) => leakIn(text) ?? [...made].find((one) => text.includes(one)) ?? [])),
    ],
    made,
    problems,
  };
}

/** Calls everything that requests tokens from the service, for a user with an expired session. */
async function everyRequest({ sessions, browser, see }: ReturnType<typeof application>): Promise<void> {
  // Only what is sealed matters in these tokens.
  browser.keep(await sessions.create(tokens as never));
  see(await sessions.handle(browser.request));
  see(await sessions.refresh(browser.request));
  see(await sessions.switchOrganization(browser.request, 'org_1'));
  const started = await sessions.startSignIn(browser.request);
  browser.keep(started.headers);
  const state = new URL(started.headers.get('location')!).searchParams.get('state')!;
  const finished = await sessions.finishSignIn({
    url: `/callback?${new URLSearchParams({ code, state })}`,
    headers: browser.headers,
  });
  see(finished);
  expect(['failed', 'retry_later']).toContain(finished.status);
  see(await sessions.signOut(browser.request));
}

describe('results, error causes and reported problems contain no secrets', () => {
  const statuses = [200, 400, 401, 403, 404, 409, 422, 429, 500];

  test.each(Object.keys(services).flatMap((way) => statuses.map((status) => [status, way] as const)))(
    'even if a response with status %i echoes the request %s',
    async (status, way) => {
      const app = application((words) => services[way]!(words, status));

      await everyRequest(app);

      expect(app.leaks()).toEqual([]);
      expect(app.made.size).toBeGreaterThanOrEqual(3);
    },
  );

  test.each(Object.keys(failures))('even if fetch fails and echoes the request %s', async (way) => {
    const app = application((words) => {
      throw failures[way]!(words);
    });

    await everyRequest(app);

    expect(app.leaks()).toEqual([]);
  });

  test.each([400, 401, 404])('even if the error code of a response with status %i is the API key', async (status) => {
    const app = application(() => Response.json({ code: apiKey }, { status }));

    await everyRequest(app);

    await expect.poll(() => app.problems).toContainEqual(expect.objectContaining({ code: 'service_refused' }));
    expect(app.leaks()).toEqual([]);
  });

  test.each([400, 401, 403, 422])(
    'even if a response with status %i contains the API key as the code of a sign-in step',
    async (status) => {
      const app = application(() =>
        Response.json({ code: apiKey, pending_authentication_token: 'pending_1' }, { status }),
      );

      await everyRequest(app);

      expect(app.leaks()).toEqual([]);
    },
  );
});

test('the check for secrets in results, error causes and reported problems detects a recorded secret', async () => {
  const app = application(({ raw }) => {
    app.see(raw);
    return Response.json({}, { status: 400 });
  });

  await everyRequest(app);

  expect(app.leaks().length).toBeGreaterThanOrEqual(3);
});

describe('finishSignIn()', () => {
  test("returns the service's error description in one line of limited length", async () => {
    const app = application(() =>
      Response.json(
        { error: 'invalid_grant', error_description: `Used\r\nbefore: ${'x'.repeat(1_000)}` },
        { status: 400 },
      ),
    );
    const started = await app.sessions.startSignIn({ headers: {} });
    app.browser.keep(started.headers);
    const state = new URL(started.headers.get('location')!).searchParams.get('state')!;

    const finished = await app.sessions.finishSignIn({
      url: `/callback?code=c&state=${state}`,
      headers: app.browser.headers,
    });

    expect(finished).toMatchObject({
      status: 'failed',
      reason: 'rejected',
      error: 'invalid_grant',
      errorDescription: `Used before: ${'x'.repeat(487)}…`,
    });
  });
});
