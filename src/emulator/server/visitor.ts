/** What a browser shows, `<id>.<form token>`; it alone knows it. */
interface VisitorCookie {
  readonly id: string;
  readonly formToken: string;
}

/** The field in which forms carry the token. */
export const formTokenField = 'form_token';

/** Cookies begin like this and end each in its own way: of two tabs that come at once neither loses what it was given. */
const prefix = 'sallyport-emulator-visitor-';

/**
 * A browser that visits the pages of the emulator. What it begins, a sign-in, only it can go on with; and the forms it is
 * shown carry a token of its own, so that no other site can send them in its place.
 */
export class Visitor {
  // Any value will do that a browser shows: no website can set a cookie for this host.
  readonly #shown: readonly VisitorCookie[];
  #given: VisitorCookie | undefined;

  constructor(request: Request) {
    this.#shown = cookiesOf(request).flatMap(([name, value]) => {
      const [id, formToken, ...rest] = value.split('.');
      return name.startsWith(prefix) && id && formToken && rest.length === 0 ? [{ id, formToken }] : [];
    });
  }

  /** What a sign-in is bound to that this browser begins. */
  get id(): string {
    return this.#cookie.id;
  }

  /** What the forms carry that this browser is shown. */
  get formToken(): string {
    return this.#cookie.formToken;
  }

  /** Whether something that was begun belongs to this browser. */
  began({ visitorId }: { readonly visitorId: string }): boolean {
    return this.#shown.some(({ id }) => id === visitorId);
  }

  /** Whether a form was shown to this browser, by what came of it. */
  wasShown(body: unknown): boolean {
    const token = (body as Readonly<Record<string, unknown>> | undefined)?.[formTokenField];
    return this.#shown.some(({ formToken }) => formToken === token);
  }

  /** The header that makes a new browser known again. */
  get headers(): Readonly<Record<string, string>> {
    if (!this.#given) return {};
    const { id, formToken } = this.#given;
    return { 'set-cookie': `${prefix}${id.slice(0, 8)}=${id}.${formToken}; Path=/; HttpOnly; SameSite=Lax` };
  }

  get #cookie(): VisitorCookie {
    const [first] = this.#shown;
    // Random whatever the seed of ids: nobody may know it beforehand.
    if (!first) this.#given ??= { id: crypto.randomUUID(), formToken: crypto.randomUUID() };
    return first ?? this.#given!;
  }
}

/** The cookies of a request. */
export const cookiesOf = (request: Request): readonly (readonly [name: string, value: string])[] =>
  (request.headers.get('cookie') ?? '').split(';').map((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    return [name, value];
  });
