import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/index.js';
import type { RawAnswer } from '../../servers/send.js';
import { browse } from '../browser.js';
import { clientId, signingIn, urn } from './signing-in.js';

/** Ada is a member of Acme, which has a connection, and of Globex. */
const seed: Seed = {
  organizations: [
    { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
    { id: 'org_globex', name: 'Globex' },
  ],
  connections: [{ id: 'conn_acme', organization_id: 'org_acme', connection_type: 'OktaSAML' }],
  users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'correct horse' }],
  memberships: [
    { id: 'om_acme', user_id: 'user_ada', organization_id: 'org_acme' },
    { id: 'om_globex', user_id: 'user_ada', organization_id: 'org_globex' },
  ],
};

type World = Awaited<ReturnType<typeof startEmulator>>;

async function startEmulator() {
  const started = await signingIn({ seed, autoApprove: true });
  /** Returns the token of an unfinished sign-in with a password. */
  const pending = async () => {
    const { body } = await started.byPassword('ada@acme.test');
    return { pending_authentication_token: body.pending_authentication_token as string };
  };
  return { ...started, open: browse(started.emulator), pending, mailed: () => started.emulator.inbox.latest()!.code };
}

/** Ways to sign in: each prepares a sign-in and returns the step that follows the deletion. */
const ways = {
  async 'an SSO sign-in'({ open, grant }: World) {
    const { params } = await open('/user_management/authorize', {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://localhost:3000/callback',
      connection: 'conn_acme',
      login_hint: 'ada@acme.test',
    });
    return () => grant('authorization_code', { code: params.code });
  },
  async 'selecting Acme'({ pending, grant }: World) {
    const token = await pending();
    return () => grant(urn('organization-selection'), { ...token, organization_id: 'org_acme' });
  },
  async 'switching to Acme'({ pending, grant, refresh }: World) {
    const { body } = await grant(urn('organization-selection'), {
      ...(await pending()),
      organization_id: 'org_globex',
    });
    return () => refresh(body.refresh_token, { organization_id: 'org_acme' });
  },
  async 'a sign-in with an emailed code'({ send, mailed, grant }: World) {
    await send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' });
    return () => grant(urn('magic-auth:code'), { email: 'ada@acme.test', code: mailed() });
  },
  async 'email verification'({ send, pending, mailed, grant }: World) {
    await send('PUT /user_management/users/user_ada', { email_verified: false });
    const token = await pending();
    return () => grant(urn('email-verification:code'), { ...token, code: mailed() });
  },
  async 'a second-factor check'({ send, pending, mailed, grant }: World) {
    const phone = { type: 'sms', phone_number: '+15005550006', user_id: 'user_ada' };
    const { body: factor } = await send('POST /auth/factors/enroll', phone);
    const token = await pending();
    const { body: challenge } = await send(`POST /auth/factors/${factor.id}/challenge`, {});
    return () => grant(urn('mfa-totp'), { ...token, code: mailed(), authenticationChallengeId: challenge.id });
  },
} satisfies Record<string, (world: World) => Promise<() => Promise<RawAnswer>>>;
type Way = keyof typeof ways;

const outsider = '403 and user_not_organization_member';
const alone = '200 and org_globex';
const choice = '403 and organization_selection_required';

const successTitles: Readonly<Record<string, string>> = {
  '200 and org_acme': 'still gives the user a session in Acme',
  [alone]: 'still gives the user a session in Globex',
};

/** A sign-in to Acme is refused; any other goes to the only organization that is left. */
const outsideAcme: Record<Way, string> = {
  'an SSO sign-in': outsider,
  'selecting Acme': outsider,
  'switching to Acme': outsider,
  'a sign-in with an emailed code': alone,
  'email verification': alone,
  'a second-factor check': alone,
};

describe.each<[what: string, path: string, outcomes: Record<Way, string>]>([
  ['the organization Acme', '/organizations/org_acme', outsideAcme],
  ['the membership in Acme', '/user_management/organization_memberships/om_acme', outsideAcme],
  [
    "Acme's connection",
    '/connections/conn_acme',
    {
      'an SSO sign-in': '200 and org_acme',
      'selecting Acme': '200 and org_acme',
      'switching to Acme': '200 and org_acme',
      'a sign-in with an emailed code': choice,
      'email verification': choice,
      'a second-factor check': choice,
    },
  ],
  [
    'the user',
    '/user_management/users/user_ada',
    {
      'an SSO sign-in': '400 and invalid_grant',
      'selecting Acme': '400 and invalid_pending_authentication_token',
      'switching to Acme': '400 and invalid_grant',
      'a sign-in with an emailed code': '400 and invalid_one_time_code',
      'email verification': '400 and invalid_pending_authentication_token',
      'a second-factor check': '400 and invalid_pending_authentication_token',
    },
  ],
])('if %s is deleted during a sign-in,', (_what, path, outcomes) => {
  const cases = Object.entries(outcomes).map(
    // The entries of an object literal have its keys.
    ([way, outcome]) => [way as Way, successTitles[outcome] ?? `fails with status ${outcome}`, outcome] as const,
  );
  test.each(cases)('%s %s', async (way, _result, outcome) => {
    const started = await startEmulator();
    const step = await ways[way](started);
    await started.send(`DELETE ${path}`);

    const { status, body } = await step();

    expect(`${status} and ${body.code ?? body.organization_id}`).toBe(outcome);
  });
});
