import type { Emulator } from '../../src/emulator/index.js';

/** The result of one step of a browser that does not follow redirects. */
export interface Arrival {
  readonly status: number;
  /** The target of a redirect, as an absolute URL. */
  readonly location: URL | undefined;
  /** The query parameters of the redirect. */
  readonly params: Readonly<Record<string, string>>;
  /** The cookies that the response sets, as a Cookie header. */
  readonly cookie: string | undefined;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser with a fixed cookie, and the fields of its forms. */
export const oneBrowser = {
  headers: { cookie: 'sallyport-emulator-visitor-one=one.token' },
  fields: { form_token: 'token' },
};

const cookiesIn = (headers: Headers): string | undefined =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ') || undefined;

/** Open addresses of an emulator like a browser, one step at a time. */
export const browse =
  (emulator: Pick<Emulator, 'fetch' | 'url'>) =>
  async (
    path: string,
    query: Readonly<Record<string, string | undefined>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Arrival> => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
    const answer = await emulator.fetch(emulator.url + path + search, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers },
    });
    const to = answer.headers.get('location');
    const location = to === null ? undefined : new URL(to, emulator.url);
    return {
      status: answer.status,
      location,
      params: Object.fromEntries(location?.searchParams ?? []),
      cookie: cookiesIn(answer.headers),
      headers: answer.headers,
      text: await answer.text(),
    };
  };
