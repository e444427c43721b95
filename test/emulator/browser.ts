import type { Emulator } from '../../src/emulator/index.js';

/** Where a browser is after one step: it follows no redirect. */
export interface Arrival {
  readonly status: number;
  /** Where it is sent, against the emulator's address. */
  readonly location: URL | undefined;
  /** What it is sent there with. */
  readonly params: Readonly<Record<string, string>>;
  /** The cookies it keeps from here, as it sends them. */
  readonly cookie: string | undefined;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser whose cookie is known beforehand, and what the forms that it is shown carry. */
export const oneBrowser = {
  headers: { cookie: 'sallyport-emulator-visitor-one=one.token' },
  fields: { form_token: 'token' },
};

const cookiesIn = (headers: Headers): string | undefined =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ') || undefined;

/** Opens addresses of an emulator as a browser does, one step at a time. */
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
