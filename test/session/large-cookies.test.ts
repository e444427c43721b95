import { inspect } from 'node:util';
import type { SessionProblem, SessionsOptions } from 'sallyport/session';
import { expect, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { application } from './application.js';

const warnings = captureWarnings();

/** An application with its own service, because each service is reported once, and a user with metadata. */
async function createApplication(name: string, metadataBytes: number, more: Partial<SessionsOptions> = {}) {
  const problems: SessionProblem[] = [];
  const app = await application(
    { publicUrl: `http://${name}.localhost` },
    { onProblem: (problem) => void problems.push(problem), ...more },
  );
  const metadata = Object.fromEntries(
    Array.from({ length: metadataBytes / 500 }, (_, at) => [`key_${at}`, `private ${at} `.padEnd(500, 'x')]),
  );
  await app.sallyport.userManagement.createUser({
    email: 'ada@example.com',
    password: 'analytical-engine',
    emailVerified: true,
    metadata,
  });
  const settled = async () => {
    await vi.dynamicImportSettled();
    return problems;
  };
  return { ...app, settled };
}

test('a sign-in with at most 4,096 bytes of cookies is not reported', async () => {
  const { signIn, settled } = await createApplication('small', 500);

  const { headers } = await signIn();

  expect(headers.getSetCookie().join('').length).toBeLessThanOrEqual(4_096);
  expect(await settled()).toEqual([]);
});

test('a sign-in with more than 4,096 bytes of cookies is reported once with the names of the largest fields', async () => {
  const { signIn, settled, browser } = await createApplication('large', 3_000);

  const { headers } = await signIn();
  await signIn();

  const [problem, ...others] = await settled();
  const bytes = headers.getSetCookie().join('').length;
  expect(bytes).toBeGreaterThan(4_096);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ code: 'large_cookies', cause: expect.any(Error) });
  expect(problem?.message).toMatch(
    new RegExp(
      `^A sign-in sets more cookies than proxies with small buffers accept.* The cookies have ${bytes} bytes, more than 4,096, and the largest fields are user\\.metadata \\(3\\d{3} bytes\\), .*docs/guides/deployment\\.md#headers-of-16-kb\\.$`,
    ),
  );
  for (const secret of ['private', browser.header.slice(30, 60)])
    expect(inspect(problem, { depth: 9 })).not.toContain(secret);
});

test('sessions.create() reports more than 4,096 bytes of cookies', async () => {
  const { sallyport, sessions, settled } = await createApplication('form', 3_000);
  const tokens = await sallyport.userManagement.authenticateWithPassword({
    email: 'ada@example.com',
    password: 'analytical-engine',
  });

  await sessions.create(tokens, { headers: {} });
  await sessions.create(tokens, { headers: {} });

  expect((await settled()).map(({ code }) => code)).toEqual(['large_cookies']);
});

test('a warning about large cookies is printed once in development, even after two sign-ins', async () => {
  vi.stubEnv('NODE_ENV', 'development');
  const before = warnings.length;
  const { signIn, settled } = await createApplication('printed', 3_000);

  await signIn();
  await signIn();
  await settled();

  expect(warnings.slice(before)).toEqual([expect.stringMatching(/^sallyport: A sign-in sets more cookies than /)]);
});
