import { cookiesOf } from 'sallyport/session';
import { expect, test } from 'vitest';
import { signedIn } from './signed-in.js';

test('cookiesOf() returns each cookie of a result with its attributes', async () => {
  const { sessions, jar } = await signedIn();
  const { headers } = await sessions().signOut(jar.request);

  expect(cookiesOf(headers)).toContainEqual({
    name: 'sallyport-session',
    value: '',
    attributes: { path: '/', maxAge: 0, sameSite: 'lax', secure: false, httpOnly: true },
  });
});

test('a partitioned session cookie keeps its attributes when it is cleared', async () => {
  const { sessions, tokens, jar } = await signedIn();
  const own = sessions({ cookie: { sameSite: 'none', secure: true, partitioned: true, maxAgeMs: 'session' } });
  const attributes = { path: '/', sameSite: 'none', secure: true, httpOnly: true, partitioned: true };

  const [created] = cookiesOf(
    new Headers((await own.create(tokens)).map((line): [string, string] => ['set-cookie', line])),
  );
  const { headers } = await own.signOut(jar.request);

  expect(created?.attributes).toEqual(attributes);
  expect(cookiesOf(headers)[0]).toEqual({
    name: 'sallyport-session',
    value: '',
    attributes: { ...attributes, maxAge: 0 },
  });
});

test('cookiesOf() also reads cookies that other code sets, with browser defaults for missing attributes', () => {
  const headers = new Headers([
    ['set-cookie', 'theme=a=b; Domain=example.com; Path=/app; Max-Age=60; SameSite=Strict; Secure'],
    ['set-cookie', 'seen=1'],
    ['cache-control', 'no-store'],
  ]);

  expect(cookiesOf(headers)).toEqual([
    {
      name: 'theme',
      value: 'a=b',
      attributes: {
        path: '/app',
        domain: 'example.com',
        maxAge: 60,
        sameSite: 'strict',
        secure: true,
        httpOnly: false,
      },
    },
    { name: 'seen', value: '1', attributes: { path: '/', secure: false, httpOnly: false } },
  ]);
  expect(cookiesOf(new Headers())).toEqual([]);
});
