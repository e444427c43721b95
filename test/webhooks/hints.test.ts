import { describe, expect, test } from 'vitest';
import { Sallyport } from '../../src/index.js';
import { receive, signWebhook, verifyWebhook } from '../../src/webhooks/index.js';
import { body, header, secret, sentAt, signature } from './delivery.js';

interface Wrong {
  readonly secret?: string;
  readonly payload?: string;
  readonly sigHeader?: string;
}
const sallyport = new Sallyport({ apiKey: 'sk_test_0123', baseUrl: 'https://api.acme.test' });
const delivery = { payload: body, sigHeader: header, secret, now: () => sentAt };

/** Builds a request with this signature header and others. */
const requestOf = (sigHeader: string, payload = body, others: Readonly<Record<string, string>> = {}) =>
  new Request('https://app.test/webhooks', {
    method: 'POST',
    headers: { 'service-signature': sigHeader, ...others },
    body: payload,
  });

const messageOf = (checked: Promise<unknown>) =>
  checked.then(
    () => 'accepted',
    (error: Error) => error.message,
  );
const checks = {
  receive: async (wrong: Wrong) => {
    const { payload, sigHeader, secret, now } = { ...delivery, ...wrong };
    const result = await receive(requestOf(sigHeader, payload), { secret, now });
    return result.status === 'refused' ? result.error.message : 'accepted';
  },
  verifyWebhook: (wrong: Wrong) => messageOf(verifyWebhook({ ...delivery, ...wrong })),
  constructEvent: (wrong: Wrong) => messageOf(sallyport.webhooks.constructEvent({ ...delivery, ...wrong })),
};

describe.each(Object.entries(checks))('the signature error from %s()', (_, hint) => {
  test.each([
    ['is surrounded by whitespace', `${secret}\n`, 'The secret has blanks around it: trim it.'],
    ['has no whsec_ prefix', 'sallyport', 'The secret lacks its prefix whsec_'],
    ['is an API key', 'sk_test_0123', 'The secret is an API key: pass the secret of the webhook endpoint'],
  ])('says that the secret %s, without revealing the secret', async (_form, wrong, expected) => {
    const message = await hint({ secret: wrong });

    expect(message).toContain(expected);
    expect(message).not.toContain(wrong.trim());
  });

  test.each([
    ['indented', JSON.stringify(JSON.parse(body), null, 2)],
    ['followed by a line break', `${body}\n`],
  ])('says that the body was serialized again if the body is %s', async (_change, payload) => {
    const sigHeader = await signWebhook({ payload: body, secret, timestamp: sentAt });

    expect(await hint({ payload, sigHeader })).toContain('The body was parsed and serialized again before it got here');
  });

  test('explains that the timestamp is in seconds but the signature covers milliseconds', async () => {
    const message = await hint({ sigHeader: `t=${sentAt / 1000}, v1=${signature}` });

    expect(message).toContain('one is in seconds and the other in milliseconds');
  });

  test('gives general advice if the secret belongs to another endpoint', async () => {
    expect(await hint({ secret: 'whsec_replaced' })).toBe(
      'No signature of the request matches its body and the secret. Check that the secret belongs to this endpoint and that ' +
        'nothing rewrote the body.',
    );
  });

  test('does not occur if the signature matches', async () => {
    expect(await hint({})).toBe('accepted');
  });
});

test('the signature error from receive() mentions a signature header of another dialect', async () => {
  const request = requestOf(`t=${sentAt}, v1=00`, body, { 'workos-signature': header });

  const { error } = await receive(request, { secret, signatureHeader: 'Service-Signature', now: () => sentAt });

  expect(String(error)).toContain('The request also has the header workos-signature');
});
