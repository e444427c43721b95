import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Codec, descriptorOf, emulatedOf, operations } from '../../emulator/command-line.js';
import { type AuthenticationResponse, createSessions, type SessionProblem } from '../../session/index.js';
import { type Answer, codeOf } from './courier.js';
import { compared, NotTried, type Probe } from './finding.js';
import type { Stage } from './stage.js';

const ten = Array.from({ length: 10 }, (_, at) => at);

/** A session that a probe has for itself, because a refresh uses up its token. */
interface Tokens {
  readonly refreshToken: string;
  readonly sessionId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: Answer['body'];
}

/** The probes of sign-ins and sessions. */
export function sessionProbes({ courier, email, password }: Pick<Stage, 'courier' | 'email' | 'password'>) {
  const { settings, clock } = courier;
  const reuseMs = emulatedOf(settings.dialect).refreshReuseMs;

  async function signIn(): Promise<Tokens> {
    const body = await courier.expect('userManagement.authenticateWithPassword', { body: { email, password } });
    const { access_token: accessToken, refresh_token: refreshToken } = body;
    for (const secret of [accessToken, refreshToken]) if (typeof secret === 'string') courier.secrets.add(secret);
    const [header, claims] = String(accessToken).split('.').slice(0, 2).map(decoded);
    const sessionId = String(claims?.sid);
    courier.own.add(sessionId);
    return { refreshToken: String(refreshToken), sessionId, claims: claims ?? {}, header: header ?? {}, body };
  }

  const refresh = (refreshToken: string, idempotencyKey?: string): Promise<Answer> =>
    courier.send('userManagement.authenticateWithRefreshToken', {
      body: { refresh_token: refreshToken },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const isRefused = ({ status, body }: Answer): boolean =>
    status === 400 && [body.error, body.code].includes('invalid_grant');

  const wrongPassword: Probe = {
    says: 'A wrong password is refused with status 400 and code invalid_credentials',
    async run() {
      const answer = await courier.send('userManagement.authenticateWithPassword', {
        body: { email, password: `${password}?` },
      });
      return compared(answer.status === 400 && codeOf(answer.body) === 'invalid_credentials', textOf(answer));
    },
  };

  let refreshed: { readonly tokens: Tokens; readonly refreshToken: string } | undefined;
  const firstRefresh: Probe = {
    says: 'A refresh gives a new access token and a new refresh token',
    async run() {
      const tokens = await signIn();
      const answer = await refresh(tokens.refreshToken);
      if (!answer.ok) return compared(false, textOf(answer));
      refreshed = { tokens, refreshToken: String(answer.body.refresh_token) };
      const isNew = (['refresh_token', 'access_token'] as const).map((one) => answer.body[one] !== tokens.body[one]);
      return compared(
        !isNew.includes(false),
        isNew.map((one, at) => `${one ? 'a new' : 'the same'} ${['refresh', 'access'][at]} token`).join(', '),
      );
    },
  };

  const atOnce = (isWithKey: boolean): Probe => {
    const isOnePair = isWithKey || reuseMs > 0;
    return {
      says: `Ten refreshes at once ${isWithKey ? 'with one idempotency key' : 'without idempotency keys'} ${isOnePair ? 'all give the same tokens' : 'succeed once, and are refused nine times with invalid_grant'}`,
      async run() {
        const { refreshToken } = await signIn();
        const key = isWithKey ? randomUUID() : undefined;
        const answers = await Promise.all(ten.map(() => refresh(refreshToken, key)));
        const accepted = answers.filter(({ ok }) => ok);
        const refused = answers.filter(isRefused);
        const pairs = new Set(accepted.map(({ body }) => `${body.refresh_token} ${body.access_token}`)).size;
        return compared(
          isOnePair ? accepted.length === 10 && pairs === 1 : accepted.length === 1 && refused.length === 9,
          `${accepted.length} succeeded with ${pairs} ${pairs === 1 ? 'pair' : 'pairs'} of tokens, ${refused.length} were refused with invalid_grant`,
        );
      },
    };
  };

  /** Use a token, and probe a second use later. Returns the probe, which the caller runs in time. */
  const replay = (afterMs: number) => {
    const isAccepted = afterMs < reuseMs;
    let used: { readonly refreshToken: string; readonly first: Answer; readonly at: number } | NotTried | undefined;
    return {
      /** Sign in and use the token. */
      async begin(): Promise<void> {
        try {
          const { refreshToken } = await signIn();
          used = { refreshToken, first: await refresh(refreshToken), at: clock.now() };
        } catch (error) {
          if (!(error instanceof NotTried)) throw error;
          used = error;
        }
      },
      probe: {
        says: `A refresh token that was used ${afterMs / 1_000} seconds ago ${isAccepted ? 'gives the tokens of its first use' : 'is refused with invalid_grant'}`,
        async run() {
          if (used === undefined || used instanceof NotTried) throw used ?? new NotTried('there is no session');
          const { refreshToken, first, at } = used;
          if (!first.ok) throw new NotTried(`its first use answered with ${textOf(first)}`);
          await clock.sleep(Math.max(0, at + afterMs - clock.now()));
          const answer = await refresh(refreshToken);
          const isSame = answer.ok && answer.body.refresh_token === first.body.refresh_token;
          return compared(
            isAccepted ? isSame : isRefused(answer),
            answer.ok ? `${isSame ? 'the same' : 'another'} refresh token` : textOf(answer),
          );
        },
      } satisfies Probe,
    };
  };

  /** The probes of one session, from its seal to its end. */
  function* ofOneSession(): Generator<Probe> {
    let tokens: Tokens | undefined;
    let cookie = '';
    const problems: SessionProblem[] = [];
    const sessions = createSessions({
      apiKey: settings.apiKey,
      clientId: settings.clientId,
      baseUrl: settings.baseUrl,
      dialect: settings.dialectName,
      redirectUri: 'http://localhost/callback',
      cookiePassword: randomBytes(32).toString('base64url'),
      fetch: courier.fetch,
      now: clock.now,
      onProblem: (problem) => problems.push(problem),
    });
    const mine = (): Tokens => {
      if (tokens) return tokens;
      throw new NotTried('there is no session');
    };
    /** The problems since the last call. The package reports them a moment after the result, once their texts are loaded. */
    const problemsSince = async (): Promise<string> => {
      await pause(100);
      return problems
        .splice(0)
        .map(({ message }) => message)
        .join('; ');
    };
    yield {
      says: 'A user signs in with a password',
      async run() {
        tokens = await signIn();
        return compared(true, 'with tokens');
      },
    };
    yield {
      says: 'The key set has the key that signed the access token',
      async run() {
        const { keys = [] } = await courier.expect('jwks.get', { params: [settings.clientId] });
        const { kid } = mine().header;
        const isThere = Array.isArray(keys) && keys.some((key) => Object(key).kid === kid);
        return compared(isThere, isThere ? 'it does' : `the key set has no key ${String(kid)}`);
      },
    };
    yield {
      says: 'The issuer of the access token is the service, alone or with /user_management and the client id',
      async run() {
        const { iss } = mine().claims;
        const { origin } = new URL(settings.baseUrl);
        const known = [
          origin,
          `${origin}/`,
          ...[origin, settings.baseUrl].map((one) => `${one}/user_management/${settings.clientId}`),
        ];
        return compared(known.includes(String(iss)), `iss is ${String(iss)}`);
      },
    };
    yield {
      says: 'A sealed session opens again, and its token has a valid signature',
      async run() {
        const { body } = mine();
        const { returns } = operations['userManagement.authenticateWithPassword']!.io;
        // The courier has compared the response with this description.
        const response = new Codec(settings.dialect).decode(descriptorOf(returns!), body) as AuthenticationResponse;
        cookie = (await sessions.create(response)).map((one) => one.split(';', 1)[0]).join('; ');
        const result = await sessions.read(cookie);
        if (result.status === 'active') return compared(result.session.userId === Object(body.user).id, 'active');
        const reason = 'reason' in result ? String(result.reason) : '';
        return compared(false, `${result.status}: ${(await problemsSince()) || reason}`);
      },
    };
    yield {
      says: 'Signing out on the server ends the session at the service',
      async run() {
        if (!cookie) throw new NotTried('there is no session');
        await sessions.signOut(new Request('http://localhost/', { headers: { cookie } }));
        const problem = await problemsSince();
        return compared(!problem, problem || 'the logout URL accepted it');
      },
    };
    yield {
      says: 'A refresh after signing out is refused with invalid_grant',
      async run() {
        const answer = await refresh(mine().refreshToken);
        return compared(isRefused(answer), textOf(answer));
      },
    };
    yield {
      says: 'The logout URL of a session that has ended is not an error',
      async run() {
        const answer = await courier.send('userManagement.logout', { query: { session_id: mine().sessionId } });
        return compared(answer.status < 400, textOf(answer));
      },
    };
  }

  const revoke: Probe = {
    says: 'A revoked session is refused at its next refresh with invalid_grant',
    async run() {
      if (!refreshed) throw new NotTried('there is no refreshed session');
      const { tokens, refreshToken } = refreshed;
      await courier.expect('sessions.list', { params: [String(tokens.claims.sub)] });
      await courier.expect('sessions.revoke', { body: { session_id: tokens.sessionId } });
      const answer = await refresh(refreshToken);
      return compared(isRefused(answer), textOf(answer));
    },
  };

  return { wrongPassword, firstRefresh, atOnce, replay, ofOneSession, revoke };
}

/** Describe an answer, without its values. */
export const textOf = ({ status, body, ok }: Answer): string =>
  ok || !codeOf(body)
    ? `status ${status}`
    : `status ${status}, code ${[...new Set([body.code, body.error])].filter((one) => one !== undefined).join(' and ')}`;

/** Decode a part of a token, without checking it. */
function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}
