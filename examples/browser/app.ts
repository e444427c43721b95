// A single-page application with sign-in, without a framework: `npx tsx examples/browser/serve.ts`.

import { BrowserError, type BrowserSession, createBrowserClient } from 'sallyport/browser';

// Neither value is secret. The server writes them into the page.
const { clientId = '', baseUrl = '', storage } = document.documentElement.dataset;
const auth = createBrowserClient({
  dialect: 'workos',
  clientId,
  baseUrl,
  redirectUri: '/callback',
  refreshTokenStorage: storage === 'session' || storage === 'local' ? storage : 'memory',
});

const element = (id: string): HTMLElement => document.getElementById(id)!;
const say = (text: string): void => {
  element('status').textContent = text;
};

function show(session: BrowserSession | null): void {
  element('sign-in').hidden = session !== null;
  element('renew').hidden = session === null;
  element('sign-out').hidden = session === null;
  const facts = session && {
    User: session.user.email,
    Organization: session.organizationId ?? 'none',
    Session: session.sessionId,
    'Access token': String(session.claims.jti),
  };
  // Insert as text, never as HTML: users choose these values.
  element('session').replaceChildren(
    ...Object.entries(facts ?? {}).flatMap(([name, value]) => [
      Object.assign(document.createElement('dt'), { textContent: name }),
      Object.assign(document.createElement('dd'), { textContent: value }),
    ]),
  );
  say(session ? `Hello ${session.user.firstName ?? session.user.email}` : 'Not signed in');
}

/** Run a task, and show the error if it fails. */
const attempt = (task: () => Promise<unknown>) => async (): Promise<void> => {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error;
    say(error.message);
  }
};

// `onChange` also fires when the user signs in or out in another tab.
auth.onChange(show);
element('sign-in').onclick = attempt(() => auth.signIn());
element('renew').onclick = attempt(() => auth.getAccessToken({ forceRefresh: true }));
element('sign-out').onclick = attempt(() => auth.signOut({ returnTo: '/' }));

await attempt(async () => {
  const arrival = await auth.finishSignIn();
  if (arrival.status === 'signed_in') history.replaceState(null, '', arrival.returnTo);
  const found = arrival.status === 'signed_in' ? arrival : await auth.restore();
  show(auth.session);
  for (const result of [found, arrival]) if ('message' in result) say(result.message);
})();
