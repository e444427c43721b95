import { memoryStore } from 'sallyport/stores';
import { receive, signWebhook } from 'sallyport/webhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { body, header, secret, sentAt } from './delivery.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const received = (sent: string, sigHeader: string, options: object = {}) =>
  receive(
    new Request('https://app.acme.test/', { method: 'POST', headers: { 'service-signature': sigHeader }, body: sent }),
    { secrets: secret, now: () => sentAt, ...options },
  );

describe('a refusal', () => {
  test.each([
    ['production', 'signature_mismatch'],
    ['', 'signature_mismatch'],
    ['development', expect.stringMatching(/^signature_mismatch: No signature of the request matches/)],
  ])('answers with its reason alone, and in development with its message: NODE_ENV=%s', async (environment, text) => {
    vi.stubEnv('NODE_ENV', environment);

    expect((await received('{}', header)).text).toEqual(text);
  });

  test('in production has no body parsed that nobody has signed', async () => {
    const spaced = JSON.stringify(JSON.parse(body), null, 2);
    const sigHeader = await signWebhook({ payload: body, secret, timestamp: sentAt });
    const parse = vi.spyOn(JSON, 'parse');
    vi.stubEnv('NODE_ENV', 'production');
    const inProduction = (await received(spaced, sigHeader)).error;

    expect(parse).not.toHaveBeenCalled();
    expect(inProduction).toMatchObject({ message: expect.not.stringContaining('written anew') });
    vi.stubEnv('NODE_ENV', 'test');
    expect((await received(spaced, sigHeader)).error).toMatchObject({
      message: expect.stringContaining('written anew'),
    });
    parse.mockRestore();
  });
});

test('a store that does not answer counts as down after two seconds', async () => {
  // Some of what makes a MAC is no timer, and takes turns of its own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const once = { ...memoryStore(), compareAndSet: () => new Promise<boolean>(() => undefined) };
  const handler = vi.fn();
  const result = received(body, header, { once, handler });
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(1_999);
  const early = await Promise.race([result, Promise.resolve('not yet')]);
  await vi.advanceTimersByTimeAsync(1);

  expect(early).toBe('not yet');
  expect(await result).toMatchObject({ outcome: 'store_failed', status: 503 });
  expect(handler).not.toHaveBeenCalled();
});
