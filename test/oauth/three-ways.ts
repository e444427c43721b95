import type * as client from 'sallyport';
import type * as session from 'sallyport/session';
import type * as browser from '../../src/browser/client.js';
import { site } from '../browser/surroundings.js';
import { service } from '../session/issuer.js';
import { password } from '../session/signed-in.js';

/** Every field of a user with its wire name. */
export const wireUser = {
  object: 'user',
  id: 'user_01',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_verified: true,
  profile_picture_url: 'https://images.test/ada.png',
  external_id: 'crm-7',
  metadata: { favourite_colour: 'green' },
  last_sign_in_at: '2026-01-01T00:00:00.000Z',
  locale: 'en-GB',
  created_at: '2025-01-01T00:00:00.000Z',
  updated_at: '2025-06-01T00:00:00.000Z',
};

/** The three entries that return the signed-in user. */
export interface Entries {
  readonly Sallyport: typeof client.Sallyport;
  readonly createSessions: typeof session.createSessions;
  readonly BrowserClient: typeof browser.BrowserClient;
}

/** A user with any fields, under the names of the package. */
type Fields = Readonly<Record<string, unknown>>;

const clientId = 'client_42';
const baseUrl = 'https://api.example.com';
const redirectUri = 'https://app.example.com/callback';

/** The user that each of the three entries returns if the service answers a code with this one. */
export async function usersOf(
  { Sallyport, createSessions, BrowserClient }: Entries,
  wireUser: Fields & { readonly id: string },
): Promise<Readonly<Record<'client' | 'session' | 'browser', Fields | null>>> {
  const now = Math.floor(Date.now() / 1_000);
  const access_token = service.token({ sub: wireUser.id, iat: now, exp: now + 300 });
  const fetch = async () => Response.json({ user: wireUser, organization_id: null, access_token, refresh_token: 'r' });

  const sallyport = new Sallyport({ clientId, apiKey: 'sk_test_42', baseUrl, fetch });
  const { user: ofClient } = await sallyport.userManagement.authenticateWithCode({ code: 'c' });

  const sessions = createSessions({
    clientId,
    baseUrl,
    redirectUri,
    cookiePassword: password,
    keys: service.keys,
    fetch,
  });
  const started = await sessions.startSignIn({ headers: {} });
  const cookie = started.headers.getSetCookie().map((line) => line.split(';')[0]!);
  const url = `${redirectUri}?code=c&state=${stateOf(started.headers.get('location'))}`;
  const finished = await sessions.finishSignIn({ url, headers: { cookie: cookie.join('; ') } });

  const tab = site({ fetch, now: Date.now }).tab('https://app.example.com/');
  const auth = new BrowserClient({ clientId, baseUrl, redirectUri }, tab.environment);
  await auth.signIn();
  tab.url = `${redirectUri}?code=c&state=${stateOf(tab.url)}`;
  await auth.finishSignIn();
  auth.close();

  return {
    client: { ...ofClient },
    session: finished.status === 'signed_in' ? { ...finished.session.user } : null,
    browser: auth.user && { ...auth.user },
  };
}

const stateOf = (address: string | null): string | null => new URL(address ?? '').searchParams.get('state');
