/** Cookie `<id>.<form token>`, which only this browser knows. */
interface VisitorCookie {
  readonly id: string;
  readonly formToken: string;
}

/** Name of the form field with the token. */
export const formTokenField = 'form_token';

/** Prefix of cookie names. Each name ends differently, so two tabs opened at once do not overwrite each other's cookie. */
const prefix = 'sallyport-emulator-visitor-';

/**
 * A browser that opens pages of the emulator. Only this browser can continue a sign-in that it started. Its forms carry a token,
 * which prevents cross-site request forgery.
 */
export class Visitor {
  // Any cookie value is trusted, because no website can set a cookie for this host.
  readonly #cookies: readonly VisitorCookie[];
  #newCookie: VisitorCookie | undefined;

  constructor(request: Request) {
    this.#cookies = cookiesOf(request).flatMap(([name, value]) => {
      const [id, formToken, ...rest] = value.split('.');
      return name.startsWith(prefix) && id && formToken && rest.length === 0 ? [{ id, formToken }] : [];
    });
  }

  /** Id that binds a sign-in to this browser. */
  get id(): string {
    return this.#cookie.id;
  }

  /** Token for this browser's forms. */
  get formToken(): string {
    return this.#cookie.formToken;
  }

  /** Whether this browser started a sign-in or another flow. */
  hasStarted({ visitorId }: { readonly visitorId: string }): boolean {
    return this.#cookies.some(({ id }) => id === visitorId);
  }

  /** Whether a submitted form carries a token of this browser. */
  hasFormToken(body: unknown): boolean {
    const token = (body as Readonly<Record<string, unknown>> | undefined)?.[formTokenField];
    return this.#cookies.some(({ formToken }) => formToken === token);
  }

  /** Header that sets the cookie of a new browser. */
  get headers(): Readonly<Record<string, string>> {
    if (!this.#newCookie) return {};
    const { id, formToken } = this.#newCookie;
    return { 'set-cookie': `${prefix}${id.slice(0, 8)}=${id}.${formToken}; Path=/; HttpOnly; SameSite=Lax` };
  }

  get #cookie(): VisitorCookie {
    const [first] = this.#cookies;
    // Never derived from the seed of ids, because it must be unpredictable.
    if (!first) this.#newCookie ??= { id: crypto.randomUUID(), formToken: crypto.randomUUID() };
    return first ?? this.#newCookie!;
  }
}

/** Parse the cookies of a request. */
export const cookiesOf = (request: Request): readonly (readonly [name: string, value: string])[] =>
  (request.headers.get('cookie') ?? '').split(';').map((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    return [name, value];
  });
