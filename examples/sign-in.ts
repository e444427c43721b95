// Sign in with a password and handle every additional step that the service may require, with a `switch` on `error.code`.
//
//   npx tsx examples/sign-in.ts

import { TOTP } from 'otpauth';
import { type AuthenticationResponse, isSallyportError, type OrganizationChoice, Sallyport } from 'sallyport';
import { type AuthenticationPolicySeed, createEmulator, type OrganizationSeed } from 'sallyport/emulator';

const password = 'a lantern on the mole';
const person = (email: string, more: object = {}) => ({ email, password, email_verified: true, ...more });
const owner = (name: string, domain: string, authentication_policy: AuthenticationPolicySeed): OrganizationSeed => ({
  id: `org_${name.toLowerCase()}`,
  name,
  domain_data: [{ domain, state: 'verified' }],
  authentication_policy,
});
const emulator = await createEmulator({
  dialect: 'workos',
  // Skip the pages of the service and of identity providers.
  autoApprove: true,
  seed: {
    organizations: [
      { id: 'org_northwind', name: 'Northwind' },
      { id: 'org_tailspin', name: 'Tailspin' },
      owner('Vault', 'vault.test', { mfa_required: true }),
      owner('Fabrikam', 'fabrikam.test', { sso_required: true }),
      owner('Inkwell', 'inkwell.test', { auth_methods: { magic_auth: true } }),
    ],
    connections: [{ id: 'conn_fabrikam', organization_id: 'org_fabrikam', connection_type: 'OktaSAML', name: 'Okta' }],
    users: [
      person('ada@northwind.test', { id: 'user_ada' }),
      person('bruno@northwind.test', { email_verified: false }),
      person('chiara@vault.test'),
      person('dmitri@fabrikam.test'),
      person('erin@inkwell.test'),
    ],
    memberships: [
      { user_id: 'user_ada', organization_id: 'org_northwind' },
      { user_id: 'user_ada', organization_id: 'org_tailspin' },
    ],
  },
});
const { userManagement, mfa } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const redirectUri = 'http://localhost:3000/callback';

/** Questions that your pages would ask. Here the emulator's inbox and an authenticator app answer them. */
const ask = {
  app: new TOTP(),
  organization: async ([first]: readonly OrganizationChoice[]) => first?.id ?? '',
  mailedCode: async (email: string) => (await emulator.inbox.waitFor({ to: email })).code ?? '',
  /** Mail the code yourself, and ask for it. Here the user types what the mail says. */
  codeIn: async (mail: { readonly to: string; readonly text: string }) => mail.text,
  appCode: async () => ask.app.generate({ timestamp: emulator.clock.now() }),
  toScan: async (secret: string) => {
    ask.app = new TOTP({ secret });
  },
  /** Send the browser to a URL. Resolves with the URL it returns to. */
  toVisit: async (url: string) =>
    new URL((await emulator.fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''),
};

type Attempt = () => PromiseLike<AuthenticationResponse>;

/** Sign in, with all steps that the service requires. */
async function signIn(email: string, attempt: Attempt): Promise<AuthenticationResponse> {
  for (let next = attempt; ; )
    try {
      return await next();
    } catch (error) {
      next = await stepAfter(error, email);
    }
}

/** Handle the step that the error requires, and return the call that continues the sign-in. Rethrows other errors. */
async function stepAfter(error: unknown, email: string): Promise<Attempt> {
  if (!isSallyportError(error)) throw error;
  console.log('-', error.code);
  switch (error.code) {
    case 'organization_selection_required': {
      const { pendingAuthenticationToken, step } = error;
      const organizationId = await ask.organization(step.organizations);
      return () => userManagement.authenticateWithOrganizationSelection({ pendingAuthenticationToken, organizationId });
    }
    case 'email_verification_required': {
      const { pendingAuthenticationToken } = error;
      const code = await ask.mailedCode(email);
      return () => userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken, code });
    }
    case 'mfa_challenge': {
      const { pendingAuthenticationToken, step } = error;
      const { id } = await mfa.challengeFactor({ authenticationFactorId: step.authenticationFactors[0]?.id ?? '' });
      const code = await ask.appCode();
      return () =>
        userManagement.authenticateWithTotp({ pendingAuthenticationToken, authenticationChallengeId: id, code });
    }
    case 'mfa_enrollment': {
      const { pendingAuthenticationToken, step } = error;
      const enrolled = await userManagement.enrollAuthFactor({ userId: step.userId ?? '', type: 'totp' });
      await ask.toScan(enrolled.authenticationFactor.totp?.secret ?? '');
      const { id } = enrolled.authenticationChallenge;
      const code = await ask.appCode();
      return () =>
        userManagement.authenticateWithTotp({ pendingAuthenticationToken, authenticationChallengeId: id, code });
    }
    case 'sso_required': {
      const { pendingAuthenticationToken: token, step } = error;
      const { url, state, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
        connectionId: step.connectionIds[0] ?? '',
        redirectUri,
        loginHint: email,
      });
      const { searchParams: came } = await ask.toVisit(url);
      const code = came.get('code');
      if (code === null || came.get('state') !== state) throw error;
      const pending = token === null ? {} : { pendingAuthenticationToken: token };
      return () => userManagement.authenticateWithCode({ code, codeVerifier, ...pending });
    }
    case 'organization_authentication_methods_required': {
      // Offer the methods that are true in `step.authMethods`, and SSO with `step.ssoConnectionIds`. This example uses a code by email.
      if (!error.step.authMethods.magic_auth) throw error;
      const sent = await userManagement.createMagicAuth({ email });
      const code = await ask.codeIn({ to: email, text: sent.code });
      return () => userManagement.authenticateWithMagicAuth({ email, code });
    }
    default:
      // Show other errors, such as a wrong password or a network error, and let the user start again.
      throw error;
  }
}

/** Sign in with a password, and print the result. */
async function printSignIn(email: string, secret = password): Promise<void> {
  const { user, organizationId } = await signIn(email, () =>
    userManagement.authenticateWithPassword({ email, password: secret }),
  );
  console.log(user.email, 'is signed in', organizationId ? `to ${organizationId}` : 'to no organization');
}

await printSignIn('ada@northwind.test');
await printSignIn('bruno@northwind.test');
await printSignIn('chiara@vault.test');
// Each code of an authenticator app works once. The next one is ready within 30 seconds.
await emulator.clock.advance('1m');
await printSignIn('chiara@vault.test');
await printSignIn('dmitri@fabrikam.test');
await printSignIn('erin@inkwell.test');

await printSignIn('ada@northwind.test', 'a guess').catch((error) =>
  console.log('a guess is refused:', error.serviceCode),
);

await emulator.close();
