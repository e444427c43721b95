import { createElement, type FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { createBrowserClient } from 'sallyport/browser';
import {
  type SessionData,
  SessionProvider,
  SignInLink,
  SignOutButton,
  useAccessToken,
  usePermission,
  useSession,
} from 'sallyport/react';
import { expect, test } from 'vitest';

const session: SessionData = {
  user: {
    object: 'user',
    id: 'user_ada',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: null,
    emailVerified: true,
    profilePictureUrl: null,
    externalId: null,
    metadata: {},
    lastSignInAt: null,
    locale: null,
    createdAt: '2026-01-05T09:00:00.000Z',
    updatedAt: '2026-01-05T09:00:00.000Z',
  },
  sessionId: 'session_1',
  organizationId: 'org_northwind',
  impersonator: null,
  role: 'member',
  roles: ['member'],
  permissions: ['reports:read'],
  entitlements: [],
  featureFlags: [],
  claims: { sub: 'user_ada' },
};

const client = createBrowserClient({
  clientId: 'client_42',
  baseUrl: 'https://api.example.com',
  redirectUri: '/callback',
});

const Page: FunctionComponent = () => {
  const { status, session } = useSession();
  const [mayRead, mayWrite] = [usePermission('reports:read'), usePermission('reports:write')];
  return createElement('p', null, `${status} ${session?.user.firstName ?? 'nobody'} ${mayRead} ${mayWrite}`);
};
const page = createElement(Page);
const rendered = (props: Parameters<typeof SessionProvider>[0], child = page): string =>
  renderToString(createElement(SessionProvider, props, child));

test('a server renders the signed-in user and their permissions', () => {
  expect(rendered({ session })).toBe('<p>signed_in Ada true false</p>');
  expect(rendered({ session: null })).toBe('<p>signed_out nobody false false</p>');
});

test('a session is rendered unchanged after serialization to JSON', () => {
  expect(rendered({ session: JSON.parse(JSON.stringify(session)) })).toBe('<p>signed_in Ada true false</p>');
});

test('a server renders the loading state if only the browser knows the session', () => {
  expect(rendered({ client })).toBe('<p>loading nobody false false</p>');
  expect(rendered({ refreshFrom: '/session' })).toBe('<p>loading nobody false false</p>');
});

test('a SessionProvider without a session, client or route renders the signed-out state', () => {
  expect(rendered({})).toBe('<p>signed_out nobody false false</p>');
});

test("sign-in and sign-out links point to the server's routes, and accept HTML attributes", () => {
  expect(rendered({ session: null }, createElement(SignInLink))).toBe('<a href="/sign-in">Sign in</a>');
  const own = createElement(SignInLink, { href: '/login?to=/reports', className: 'big' }, 'Come in');
  expect(rendered({ session: null }, own)).toBe('<a href="/login?to=/reports" class="big">Come in</a>');
  expect(rendered({ session }, createElement(SignOutButton))).toBe(
    '<form action="/sign-out" method="post"><button type="submit">Sign out</button></form>',
  );
  expect(rendered({ session }, createElement(SignOutButton, { action: '/logout', id: 'out' }, 'Leave'))).toBe(
    '<form action="/logout" method="post"><button type="submit" id="out">Leave</button></form>',
  );
});

test('sign-in and sign-out links call the client if the provider has a client', () => {
  expect(rendered({ client }, createElement(SignInLink))).toBe('<a href="">Sign in</a>');
  expect(rendered({ client }, createElement(SignOutButton))).toBe('<button type="button">Sign out</button>');
});

test.each([
  ['useSession', () => useSession()],
  ['usePermission', () => usePermission('reports:read')],
  ['useAccessToken', () => useAccessToken()],
  ['SignInLink', () => SignInLink({})],
  ['SignOutButton', () => SignOutButton({})],
])('%s throws an error outside a SessionProvider', (name, use) => {
  const Lonely: FunctionComponent = () => {
    use();
    return null;
  };

  expect(() => renderToString(createElement(Lonely))).toThrow(
    expect.objectContaining({
      code: 'no_provider',
      message: expect.stringContaining(`${name} needs a SessionProvider`),
    }),
  );
});

test('a page does not start a sign-in during server rendering', () => {
  const Reports: FunctionComponent = () => createElement('p', null, useSession({ signIn: true }).status);

  expect(rendered({ client }, createElement(Reports))).toBe('<p>loading</p>');
  expect(() => rendered({ session }, createElement(Reports))).toThrow(
    expect.objectContaining({ code: 'no_browser_client' }),
  );
});

test('useAccessToken requires a client or a server route', () => {
  const Asking: FunctionComponent = () => createElement('p', null, typeof useAccessToken());

  expect(rendered({ client }, createElement(Asking))).toBe('<p>function</p>');
  expect(rendered({ session, accessTokenFrom: '/session/token' }, createElement(Asking))).toBe('<p>function</p>');
  expect(() => rendered({ session }, createElement(Asking))).toThrow(
    expect.objectContaining({ code: 'no_access_token_route' }),
  );
});
