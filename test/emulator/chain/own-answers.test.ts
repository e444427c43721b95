import { describe, expect, test } from 'vitest';
import { stage } from '../../stage.js';

// A header distinguishes the emulator's own answers from those of the service.

describe('the sallyport-emulator header', () => {
  test.each([
    ['GET /health', 200, 'health'],
    ['GET /_emulator/clock', 200, 'control'],
    ['POST /_emulator/connections/conn_gone/activate', 404, 'control'],
    ['POST /_emulator/directory_users', 422, 'control'],
    ['GET /_emulator/weather', 404, 'no-such-path'],
    ['GET /organisations', 404, 'no-such-path'],
    ['DELETE /health', 405, 'method-not-allowed'],
    ['PUT /_emulator/reset', 405, 'method-not-allowed'],
  ])('of the response to %s (status %i) is "%s"', async (line, status, voice) => {
    const { send } = await stage();

    const answer = await send(line);

    expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([status, voice]);
  });

  test('of the response after an internal error is "fault"', async () => {
    const { emulator, send } = await stage({
      clock: {
        ...(await stage()).emulator.clock,
        advance: () => Promise.reject(new Error('the clock has no hands')),
        set: () => Promise.resolve(),
        reset: () => undefined,
      },
    });

    const answer = await send('POST /_emulator/clock/advance', { by: '1d' });

    expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([500, 'fault']);
    await expect(emulator.clock.advance('1d')).rejects.toThrow('the clock has no hands');
  });
});

test.each([
  ['GET /organizations', 200],
  ['GET /organizations/org_gone', 404],
  ['POST /organizations', 422],
])("the service's response to %s has no sallyport-emulator header", async (line, status) => {
  const { send } = await stage();

  const answer = await send(line);

  expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([status, null]);
});

test('the error for an unknown control links to the list of controls', async () => {
  const { send } = await stage();

  const { body } = await send('POST /_emulator/clock/forward');

  expect(body).toEqual({
    code: 'not_found',
    message: expect.stringContaining('docs/reference/controls.md'),
  });
});

describe('the inbox page', () => {
  const open = async (origin: string) => {
    const { emulator } = await stage();
    return emulator.fetch(`${origin}/_emulator/inbox`, { headers: { accept: 'text/html' } });
  };

  test.each(['http://localhost:4100', 'http://emulator.localhost', 'http://127.0.0.1:4100', 'http://[::1]:4100'])(
    'opens at %s without an API key',
    async (origin) => {
      const answer = await open(origin);

      expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([200, 'page']);
    },
  );
});

test('a message stays in the inbox for the next caller if a waiting caller disconnects', async () => {
  const { emulator, send } = await stage();
  const gone = new AbortController();
  const waiting = emulator.fetch(`${emulator.url}/_emulator/inbox/wait_for`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
    signal: gone.signal,
  });
  // This answer shows that the first request has been read.
  await send('GET /_emulator/inbox');
  gone.abort();
  await expect(waiting).rejects.toThrow();

  await send('POST /user_management/magic_auth/send', { email: 'ada@example.com' });

  expect((await emulator.inbox.waitFor({ timeoutMs: 0 })).to).toBe('ada@example.com');
});
