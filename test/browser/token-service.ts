import { createHash } from 'node:crypto';

/** A request for tokens as the service received it. */
export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, string>>;
  readonly init: RequestInit;
}

/** A failure of the service that replaces its response. */
export type Mishap = (answer: () => Response) => Response | Promise<Response>;

export const ada = {
  object: 'user',
  id: 'user_ada',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: null,
  email_verified: true,
  metadata: { home_town: 'London' },
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A signed token with the parts that a browser reads. */
export const token = (claims: object): string => `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;

/** A service of a test: single-use refresh tokens, responses that are repeated for an idempotency key, and faults on demand. */
export class TokenService {
  /** The clock of the service, in milliseconds. */
  time = Date.UTC(2026, 0, 5, 9);
  readonly requests: Asked[] = [];
  /** The number of refresh tokens that were used. */
  rotations = 0;
  /** The failures of the next requests. */
  readonly mishaps: Mishap[] = [];
  honoursKeys = true;
  /** Whether a refresh token can be used only once. */
  rotates = true;
  accessTokenSeconds = 300;
  /** Organizations that require single sign-on. */
  readonly closed = new Set(['org_closed']);
  readonly #codes = new Map<string, { readonly challenge: string; readonly sessionId: string }>();
  readonly #refreshTokens = new Map<string, { readonly sessionId: string; spent: boolean }>();
  readonly #revoked = new Set<string>();
  readonly #repeated = new Map<string, { readonly status: number; readonly text: string }>();
  #count = 0;

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const asked: Asked = {
      url: String(input),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: JSON.parse(String(init.body)),
      init,
    };
    this.requests.push(asked);
    // A response takes a moment, as in a network.
    await new Promise((resolve) => setImmediate(resolve));
    const mishap = this.mishaps.shift();
    return mishap ? mishap(() => this.#answer(asked)) : this.#answer(asked);
  };

  /** Sign a user in at an authorization URL. Returns the URL that the browser is redirected to. */
  approve(authorizationUrl: string): string {
    const { searchParams } = new URL(authorizationUrl);
    const code = `code_${++this.#count}`;
    this.#codes.set(code, {
      challenge: searchParams.get('code_challenge') ?? '',
      sessionId: `session_${this.#count}`,
    });
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', searchParams.get('state') ?? '');
    return back.href;
  }

  revoke(sessionId: string): void {
    this.#revoked.add(sessionId);
  }

  /** Forget the responses that it would repeat, as after 24 hours. */
  forgetAnswers(): void {
    this.#repeated.clear();
  }

  #answer({ headers, body }: Asked): Response {
    const key = this.honoursKeys ? headers.get('idempotency-key') : null;
    const repeated = key === null ? undefined : this.#repeated.get(key);
    const { status, text } = repeated ?? this.#grant(body);
    if (key !== null && status < 500) this.#repeated.set(key, { status, text });
    return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  }

  #grant(body: Asked['body']): { status: number; text: string } {
    if (body.grant_type === 'authorization_code') {
      const known = this.#codes.get(body.code ?? '');
      this.#codes.delete(body.code ?? '');
      const challenge = createHash('sha256')
        .update(body.code_verifier ?? '')
        .digest('base64url');
      return known?.challenge === challenge ? this.#tokens(known.sessionId, null) : refusal('invalid_grant');
    }
    const known = this.#refreshTokens.get(body.refresh_token ?? '');
    if (!known || known.spent || this.#revoked.has(known.sessionId)) return refusal('invalid_grant');
    if (this.closed.has(body.organization_id ?? '')) return refusal('sso_required');
    known.spent = this.rotates;
    this.rotations++;
    return this.#tokens(known.sessionId, body.organization_id ?? null, this.rotates ? undefined : body.refresh_token);
  }

  #tokens(
    sessionId: string,
    organizationId: string | null,
    refreshToken = `refresh_${++this.#count}`,
  ): { status: number; text: string } {
    this.#refreshTokens.set(refreshToken, { sessionId, spent: false });
    const iat = Math.floor(this.time / 1000);
    const claims = { sub: ada.id, sid: sessionId, iat, exp: iat + this.accessTokenSeconds, jti: `jwt_${this.#count}` };
    const inOrganization = organizationId
      ? { org_id: organizationId, role: 'admin', permissions: ['reports:read'] }
      : undefined;
    return {
      status: 200,
      text: JSON.stringify({
        user: ada,
        organization_id: organizationId,
        access_token: token({ ...claims, ...inOrganization }),
        refresh_token: refreshToken,
      }),
    };
  }
}

const refusal = (error: string) => ({
  status: 400,
  text: JSON.stringify({ error, error_description: `${error} in words`, message: `${error} in words`, code: error }),
});
