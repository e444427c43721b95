import { Jar } from '../session/jar.js';
import { body, header, parsed, secret, sentAt } from '../webhooks/delivery.js';
import { failureOf, same, textsIn, there } from './check.js';
import { ada, grace, type Settings } from './settings.js';

type SessionEntry = typeof import('sallyport/session');
type Sessions = ReturnType<SessionEntry['createSessions']>;
type Options = Parameters<SessionEntry['createSessions']>[0];

/** The entries under test, as the runtime loaded them. */
export interface Library {
  readonly session: SessionEntry;
  readonly client: typeof import('sallyport');
  readonly webhooks: typeof import('sallyport/webhooks');
}

/** The surroundings of a scenario. */
export interface Ground {
  readonly library: Library;
  readonly settings: Settings;
  /** The time, here and at the service. */
  now(): number;
  /** Let six minutes pass, which is longer than the life of an access token. */
  later(): Promise<void>;
  /** The number of refresh tokens that the service has exchanged. */
  rotations(): Promise<number>;
  /** The runtime's own way to print a value, if it has one. */
  readonly inspect: ((value: unknown) => string) | undefined;
}

const home = 'http://app.test';
const callback = 'http://127.0.0.1/callback';
const otherPassword = 'another-password-of-32-characters!';

const request = (path: string, jar?: Jar): Request =>
  new Request(home + path, jar ? { headers: { cookie: jar.header } } : {});

const sessionsOf = ({ library, settings, now }: Ground, options: Partial<Options> = {}): Sessions =>
  library.session.createSessions({
    ...settings.service,
    cookiePassword: settings.password,
    redirectUri: callback,
    now,
    ...options,
  });

/** Sign a user in as a browser would. Returns the tokens and the cookies of the browser. */
async function signIn(sessions: Sessions, loginHint: string) {
  const jar = new Jar();
  const started = await sessions.startSignIn(request('/sign-in', jar), { loginHint, returnTo: '/reports?page=2' });
  if (started.status !== 'redirect') throw new Error(`the sign-in is ${started.status}`);
  jar.keep(started.headers);
  const approved = await fetch(started.location, { redirect: 'manual' });
  const back = there(approved.headers.get('location'), 'the way back from the service');
  const finished = await sessions.finishSignIn(new Request(back, { headers: { cookie: jar.header } }));
  if (finished.status !== 'signed_in') throw new Error(`the sign-in ended with ${JSON.stringify(finished)}`);
  jar.keep(finished.headers);
  return { jar, finished, tokens: finished.tokens };
}

/** A session entry with separate requests, like that of another process. */
const replica = (ground: Ground): Sessions => sessionsOf(ground, { fetch: (input, init) => fetch(input, init) });

const serviceAt = ({ settings }: Ground, place: string) => ({
  ...settings.service,
  baseUrl: settings.service.baseUrl + place,
});

/**
 * What a server does with the package, by what it shows. Told in web standards alone, without a test framework, so that it
 * runs wherever the package does. Each throws when something is not as it should be.
 */
export const scenarios = {
  'a user signs in and has a session': async (ground) => {
    const sessions = sessionsOf(ground);

    const { jar, finished } = await signIn(sessions, ada);
    const result = await sessions.handle(request('/', jar));

    same(finished.headers.get('location'), '/reports?page=2', 'the page after the sign-in');
    same(jar.names, ['sallyport-session'], 'what is left in the browser');
    same([result.status, result.session?.user.email, [...result.headers]], ['active', ada, []], 'the result');
  },

  'a session with an expired access token is refreshed': async (ground) => {
    const sessions = sessionsOf(ground);
    const { jar } = await signIn(sessions, ada);
    await ground.later();

    const read = await sessions.read(jar.header);
    const result = await sessions.handle(request('/', jar));
    jar.keep(result.headers);

    same([read.status, result.status, result.session?.user.email], ['expired', 'refreshed', ada], 'the result');
    same((await sessions.handle(request('/', jar))).status, 'active', 'the next request');
  },

  '10 concurrent requests with an expired access token share one token rotation': async (ground) => {
    const sessions = sessionsOf(ground);
    const { jar } = await signIn(sessions, ada);
    await ground.later();
    const before = await ground.rotations();

    const results = await Promise.all(Array.from({ length: 10 }, () => sessions.handle(request('/', jar))));
    const late = await sessions.handle(request('/', jar));

    same(
      [...results, late].map(({ status }) => status),
      Array.from({ length: 11 }, () => 'refreshed'),
      'the results',
    );
    same((await ground.rotations()) - before, 1, 'the number of rotations');
  },

  'replicas that refresh at the same time get the same tokens': async (ground) => {
    const replicas = [replica(ground), replica(ground), replica(ground)];
    const { jar } = await signIn(sessionsOf(ground), ada);
    await ground.later();
    const before = await ground.rotations();

    const results = await Promise.all(replicas.map((one) => one.handle(request('/', jar))));

    same(
      results.map(({ status }) => status),
      ['refreshed', 'refreshed', 'refreshed'],
      'the results',
    );
    same(new Set(results.map(({ session }) => session?.claims.jti)).size, 1, 'the number of access tokens');
    same((await ground.rotations()) - before, 1, 'the number of rotations');
  },

  'a session sealed with an old password is resealed with the new password': async (ground) => {
    const old = { id: '1', secret: ground.settings.password };
    const { jar } = await signIn(sessionsOf(ground), ada);
    const both = sessionsOf(ground, { cookiePassword: [{ id: '2', secret: otherPassword }, old] });

    const result = await both.handle(request('/', jar));
    jar.keep(result.headers);

    const next = sessionsOf(ground, { cookiePassword: [{ id: '2', secret: otherPassword }] });
    same([result.status, (await next.handle(request('/', jar))).status], ['active', 'active'], 'before and after');
    same((await sessionsOf(ground).handle(request('/', jar))).status, 'signed_out', 'with the old password alone');
  },

  'a signed-out result distinguishes absent, malformed, forged and foreign cookies': async (ground) => {
    const sessions = sessionsOf(ground);
    const { jar, tokens } = await signIn(sessions, ada);
    const middle = Math.floor(jar.header.length / 2);
    const changed =
      jar.header.slice(0, middle) + (jar.header[middle] === 'A' ? 'B' : 'A') + jar.header.slice(middle + 1);
    const foreign = new Jar();
    foreign.keep(await sessionsOf(ground, { cookiePassword: [{ id: 'x', secret: otherPassword }] }).create(tokens));
    const [head, claims, signature = ''] = tokens.accessToken.split('.');
    const resigned = `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const forgedToken = new Jar();
    forgedToken.keep(await sessions.create({ ...tokens, accessToken: resigned }));

    const cookies = [
      '',
      'sallyport-session=nonsense',
      'sallyport-session=Fe26.2*1*%00*\u00ff*"',
      changed,
      foreign.header,
      forgedToken.header,
    ];
    const results = await Promise.all(cookies.map((cookie) => sessions.handle({ headers: { cookie } })));

    same(
      results.map((result) => (result.status === 'signed_out' ? result.reason : result.status)),
      ['no_cookie', 'malformed', 'malformed', 'forged', 'unknown_password', 'invalid_token'],
      'the results',
    );
  },

  'a session that is too large for one cookie is written in chunks': async (ground) => {
    const sessions = sessionsOf(ground);

    const { jar, tokens } = await signIn(sessions, grace);
    const result = await sessions.handle(request('/', jar));

    same(jar.names, ['sallyport-session.0', 'sallyport-session.1', 'sallyport-session.2'], 'the cookies');
    same([result.status, result.session?.user.metadata], ['active', tokens.user.metadata], 'the result');
  },

  'a session that was sealed in a separate Node process can be opened': async (ground) => {
    const { status, session } = await sessionsOf(ground).handle({
      headers: { cookie: ground.settings.sealedElsewhere },
    });

    // Its access token may have expired by now.
    same([status === 'active' || status === 'refreshed', session?.user.email], [true, ada], 'the result');
  },

  'a session is kept while the signing keys cannot be fetched': async (ground) => {
    const { jar } = await signIn(sessionsOf(ground), ada);

    const result = await sessionsOf(ground, serviceAt(ground, '/-/without-keys')).handle(request('/', jar));

    same([result.status, [...result.headers]], ['retry_later', []], 'the result');
    same('reason' in result && result.reason, 'keys_unavailable', 'the reason');
  },

  'a session is kept while the service fails, does not answer or cannot be reached': async (ground) => {
    const sessions = sessionsOf(ground);
    const { jar } = await signIn(sessions, ada);
    await ground.later();
    const keys = await (
      await fetch(`${ground.settings.service.baseUrl}/sso/jwks/${ground.settings.service.clientId}`)
    ).json();
    const places = [
      { ...serviceAt(ground, '/-/failing'), refresh: { maxRetries: 0 } },
      { ...serviceAt(ground, '/-/silent'), refresh: { maxRetries: 0, timeoutMs: 200 } },
      { ...ground.settings.service, baseUrl: ground.settings.nobody, refresh: { maxRetries: 0 } },
    ];

    const results = await Promise.all(
      places.map((place) => sessionsOf(ground, { ...place, keys }).handle(request('/', jar))),
    );

    same(
      results.map((result) => [result.status, 'reason' in result && result.reason, [...result.headers]]),
      [
        ['retry_later', 'service_unavailable', []],
        ['retry_later', 'timeout', []],
        ['retry_later', 'network_error', []],
      ],
      'the results',
    );
    same((await sessions.handle(request('/', jar))).status, 'refreshed', 'the session, once the service is back');
  },

  'tokens signed with the old or the new key are valid after a key rotation': async (ground) => {
    const sessions = replica(ground);
    const before = await signIn(sessions, ada);
    await fetch(`${ground.settings.service.baseUrl}/-/rotate-keys`, { method: 'POST' });

    const after = await signIn(sessions, ada);
    const results = await Promise.all([before, after].map(({ jar }) => sessions.handle(request('/', jar))));

    same(
      results.map(({ status }) => status),
      ['active', 'active'],
      'the results',
    );
  },

  'signing out ends the session and clears the cookie': async (ground) => {
    const sessions = sessionsOf(ground);
    const { jar } = await signIn(sessions, ada);
    const stolen = jar.copy();

    const out = await sessions.signOut(request('/sign-out', jar));
    jar.keep(out.headers);
    await fetch(out.location, { redirect: 'manual' });
    await ground.later();

    same(jar.names, [], 'what is left in the browser');
    const result = await sessions.handle(request('/', stolen));
    same([result.status, 'reason' in result && result.reason], ['signed_out', 'session_revoked'], 'an old copy');
  },

  'a session cache does not change the result of a second read': async (ground) => {
    const sessions = sessionsOf(ground, { cache: ground.library.session.sessionCache() });
    const { jar } = await signIn(sessions, ada);

    const results = [await sessions.read(jar.header), await sessions.read(jar.header)];

    same(
      results.map(({ status }) => status),
      ['active', 'active'],
      'the results',
    );
  },

  'the client opens and refreshes a session sealed by the session API': async (ground) => {
    const { Sallyport } = ground.library.client;
    const { jar } = await signIn(sessionsOf(ground), ada);
    const sessionData = jar.header.slice('sallyport-session='.length);
    const { userManagement } = new Sallyport(ground.settings.service);
    const session = userManagement.loadSealedSession({
      sessionData,
      cookiePassword: ground.settings.password,
      now: ground.now,
    });

    const opened = await session.authenticate();
    const refreshed = await session.refresh();

    same([opened.authenticated, refreshed.authenticated], [true, true], 'the results');
  },

  'the client iterates over a list page by page': async (ground) => {
    const { Sallyport } = ground.library.client;
    const sallyport = new Sallyport(ground.settings.service);

    const names: string[] = [];
    for await (const { name } of sallyport.organizations.listOrganizations({ limit: 2 })) names.push(name);

    same(names.sort(), [...ground.settings.organizations].sort(), 'the organizations');
  },

  'a webhook is verified, and a webhook with a changed body is rejected': async ({ library }) => {
    const { verifyWebhook } = library.webhooks;
    const now = () => sentAt;

    const event = await verifyWebhook({ payload: body, sigHeader: header, secret, now });
    const error = await failureOf(
      verifyWebhook({ payload: body.replace('user.created', 'user.deleted'), sigHeader: header, secret, now }),
    );

    same(event, parsed, 'the event');
    same((error as { reason?: unknown }).reason, 'signature_mismatch', 'the reason');
  },

  'a webhook is received from a request, and rejected if the signature is wrong': async ({ library }) => {
    const { receive } = library.webhooks;
    const receiveBy = (secret: string) =>
      receive(
        new Request('https://app.acme.test/', { method: 'POST', headers: { 'service-signature': header }, body }),
        { secret, now: () => sentAt },
      );

    const { status, event, httpStatus } = await receiveBy(secret);
    const refused = await receiveBy('whsec_another');

    same([status, event, httpStatus], ['received', parsed, 200], 'what is received');
    same([refused.status, refused.text, refused.httpStatus], ['refused', 'signature_mismatch', 400], 'what is refused');
  },

  'no printed result or error contains a secret': async (ground) => {
    const { library, settings } = ground;
    const { Sallyport } = library.client;
    const sessions = sessionsOf(ground);
    const { jar, tokens } = await signIn(sessions, ada);
    const { service, nobody, password } = settings;
    const active = await sessions.handle(request('/', jar));
    await ground.later();
    const keys = await (await fetch(`${service.baseUrl}/sso/jwks/${service.clientId}`)).json();
    const refresh = { timeoutMs: 200, maxRetries: 0 };
    const elsewhere = { ...service, baseUrl: nobody };
    const wrongKey = { ...service, apiKey: 'sk_test_of_somebody_else_0123456789' };
    const metadata = { novel: 'x'.repeat(12_000) };
    const printable = [
      active,
      await sessionsOf(ground, { ...elsewhere, keys, refresh }).handle(request('/', jar)),
      await sessionsOf(ground, { ...serviceAt(ground, '/-/silent'), keys, refresh }).handle(request('/', jar)),
      await sessionsOf(ground, { ...serviceAt(ground, '/-/failing'), keys, refresh }).handle(request('/', jar)),
      await sessionsOf(ground, wrongKey).handle(request('/', jar)),
      await failureOf(sessions.create({ ...tokens, user: { ...tokens.user, metadata } })),
      await failureOf((async () => sessionsOf(ground, { cookiePassword: password.slice(0, 31) }))()),
      await failureOf(new Sallyport(wrongKey).organizations.listOrganizations()),
      await failureOf(
        new Sallyport({ ...elsewhere, maxRetries: 0 }).userManagement.authenticateWithRefreshToken({
          refreshToken: tokens.refreshToken,
        }),
      ),
      await failureOf(library.webhooks.verifyWebhook({ payload: '{}', sigHeader: header, secret })),
      sessions,
    ];

    // Its findings in tokens would also be found elsewhere.
    same(textsIn({ finished: { tokens } }).includes(tokens.refreshToken), true, 'that the search finds something');
    const printed = printable
      .map((one) => textsIn(one) + (ground.inspect?.(one) ?? '') + JSON.stringify(one))
      .join('\n');

    const secrets = {
      'the API key': service.apiKey,
      'another API key': wrongKey.apiKey,
      'the password': password.slice(0, 31),
      'the access token': tokens.accessToken,
      'the refresh token': tokens.refreshToken,
      'the cookie': jar.header.slice('sallyport-session='.length),
      'the secret of the webhook': secret,
    };
    same(
      Object.entries(secrets).flatMap(([name, one]) => (printed.includes(one) ? [name] : [])),
      [],
      'what was printed',
    );
  },
} satisfies Readonly<Record<string, (ground: Ground) => Promise<void>>>;

/** The result of each scenario: null, or its error. */
export async function play(ground: Ground): Promise<Record<string, string | null>> {
  const report: Record<string, string | null> = {};
  for (const [name, scenario] of Object.entries(scenarios))
    report[name] = await scenario(ground).then(
      () => null,
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
  return report;
}
