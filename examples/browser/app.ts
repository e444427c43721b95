// A single-page application without a framework that signs users in: `npx tsx examples/browser/serve.ts`.

import { BrowserError, type BrowserSession, createBrowserClient } from 'sallyport/browser';

// Neither is a secret. The server of this page writes them into it.
const { clientId = '', baseUrl = '', storage } = document.documentElement.dataset;
const auth = createBrowserClient({
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
  // As text, never as HTML: what is shown was written by somebody else.
  element('session').replaceChildren(
    ...Object.entries(facts ?? {}).flatMap(([name, value]) => [
      Object.assign(document.createElement('dt'), { textContent: name }),
      Object.assign(document.createElement('dd'), { textContent: value }),
    ]),
  );
  say(session ? `Hello ${session.user.firstName ?? session.user.email}` : 'Nobody is signed in');
}

/** Does something for the user and says why when it does not work. */
const attempt = (task: () => Promise<unknown>) => async (): Promise<void> => {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error;
    say(error.message);
  }
};

// Signing in and out in another tab shows here too.
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
