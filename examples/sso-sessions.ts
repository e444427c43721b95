// Single sign-on with sessions: the email address decides whether a user signs in at the identity provider of their company.
//
//   npx tsx examples/sso-sessions.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, respond, withSession } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';

// `autoApprove` signs in the user of `loginHint` without the identity provider's page.
const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml', autoApprove: true });
const { organizations, sso } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const site = 'http://localhost:3000';
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: `${site}/callback`,
});

/** The active connection of the organization that owns the domain of an email address. */
async function connectionFor(email: string) {
  const domain = email.split('@').pop()?.toLowerCase() ?? '';
  for await (const { id, domains } of organizations.listOrganizations({ domains: [domain] })) {
    // Anyone can claim a domain. Only a verified one belongs to the organization.
    if (!domains.some((one) => one.domain === domain && one.state === 'verified')) continue;
    const connections = await sso.listConnections({ organizationId: id }).toArray({ max: 100 });
    const active = connections.find(({ state }) => state === 'active');
    if (active) return active;
  }
  return undefined;
}

const app = withSession(sessions, async (request, { session }) => {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/sign-in') {
    const email = searchParams.get('email') ?? '';
    const connection = await connectionFor(email);
    console.log(email, connection ? `signs in with ${connection.name}` : 'signs in on the hosted page');
    const selection = connection ? { connectionId: connection.id } : {};
    return respond(await sessions.startSignIn(request, { ...selection, loginHint: email }));
  }
  if (pathname === '/callback') {
    const result = await sessions.finishSignIn(request);
    if (result.status !== 'failed' || result.reason !== 'sso_required') return respond(result);
    // The hosted page would do this itself. It is needed after a social sign-in that you start with `provider`.
    const { connectionIds, pendingAuthenticationToken, returnTo } = result;
    const [connectionId = ''] = connectionIds;
    return respond(await sessions.startSignIn(request, { connectionId, pendingAuthenticationToken, returnTo }));
  }
  return new Response(session ? `${session.user.email} of ${session.organizationId}` : 'Hello stranger');
});

for (const email of ['ada@northwind.test', 'gwen@fabrikam.test', 'chiara@tailspin.test']) {
  const browser = new TestBrowser({ loginHint: email, sites: { [site]: app, [emulator.url]: emulator.fetch } });
  console.log((await browser.open(`${site}/sign-in?email=${email}`)).text);
}

await emulator.close();
