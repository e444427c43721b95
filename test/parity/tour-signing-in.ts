import { TOTP } from 'otpauth';
import { type FlowErrorCode, HOSTED_LOGIN, SignInStepError } from '../../src/index.js';
import type { Stop, Visit } from './tour.js';

// The operations of sign-in. The emulator approves the hosted pages at once.

const redirectUri = 'http://localhost:3000/callback';
const password = 'a lantern on the mole';
let count = 0;

/** Creates a user who needs only a password, or must also verify the address. */
const newcomer = async ({ sallyport }: Visit, emailVerified = true) => {
  count += 1;
  const email = `newcomer-${count}@harbour.test`;
  const user = await sallyport.userManagement.createUser({ email, password, emailVerified });
  return { ...user, signIn: () => sallyport.userManagement.authenticateWithPassword({ email, password }) };
};

/** Returns the next step of a sign-in. */
const stepOf = async <Code extends FlowErrorCode>(
  signIn: () => PromiseLike<unknown>,
  code: Code,
): Promise<SignInStepError<Code>> => {
  const error = await Promise.resolve(signIn()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SignInStepError && error.code === code) return error as SignInStepError<Code>;
  throw new Error(`expected ${code}, got ${String(error)}`);
};

/** Opens a URL as the user's browser, and returns where it redirects. */
const open = async ({ fetch }: Visit, url: string): Promise<URLSearchParams> => {
  const answer = await fetch(url, { redirect: 'manual' });
  const { searchParams } = new URL(answer.headers.get('location') ?? '', url);
  if (answer.status < 400 && !searchParams.has('error')) return searchParams;
  throw { status: answer.status, serviceCode: searchParams.get('error') ?? (await answer.text()) };
};

/** Returns the code that the user brings back. */
const codeAt = async (visit: Visit, url: string): Promise<string> => (await open(visit, url)).get('code') ?? '';

const ssoUrl = ({ sallyport }: Visit): string =>
  sallyport.sso.getAuthorizationUrl({ connection: 'conn_northwind', redirectUri, loginHint: 'ada@northwind.test' });

const profileAndToken = async (visit: Visit) =>
  visit.sallyport.sso.getProfileAndToken({ code: await codeAt(visit, ssoUrl(visit)) });

export const signingInStops: Readonly<Record<string, Stop>> = {
  'userManagement.authorize': (visit) =>
    open(visit, visit.sallyport.userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri })),
  'sso.authorize': (visit) => open(visit, ssoUrl(visit)),
  'userManagement.authenticateWithCode': async (visit) => {
    const { userManagement } = visit.sallyport;
    const { email: loginHint } = await newcomer(visit);
    const { url, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      provider: HOSTED_LOGIN,
      redirectUri,
      loginHint,
    });
    return userManagement.authenticateWithCode({ code: await codeAt(visit, url), codeVerifier });
  },
  'userManagement.authenticateWithPassword': async (visit) => (await newcomer(visit)).signIn(),
  'userManagement.authenticateWithMagicAuth': async (visit) => {
    const { email } = await newcomer(visit);
    await visit.sallyport.userManagement.sendMagicAuthCode({ email });
    const code = visit.emulator.inbox.latest(email)?.code ?? '';
    return visit.sallyport.userManagement.authenticateWithMagicAuth({ email, code });
  },
  'userManagement.authenticateWithRefreshToken': async (visit) => {
    const { refreshToken } = await (await newcomer(visit)).signIn();
    return visit.sallyport.userManagement.authenticateWithRefreshToken({ refreshToken });
  },
  'userManagement.authenticateWithEmailVerification': async (visit) => {
    const { email, signIn } = await newcomer(visit, false);
    const { pendingAuthenticationToken } = await stepOf(signIn, 'email_verification_required');
    const code = visit.emulator.inbox.latest(email)?.code ?? '';
    return visit.sallyport.userManagement.authenticateWithEmailVerification({ code, pendingAuthenticationToken });
  },
  'userManagement.authenticateWithTotp': async (visit) => {
    const { userManagement, mfa } = visit.sallyport;
    const { id: userId, signIn } = await newcomer(visit);
    const { authenticationFactor } = await userManagement.enrollAuthFactor({ userId, type: 'totp' });
    const { pendingAuthenticationToken, step } = await stepOf(signIn, 'mfa_challenge');
    const challenge = await mfa.challengeFactor({ authenticationFactorId: step.authenticationFactors[0]?.id ?? '' });
    const app = new TOTP({ secret: authenticationFactor.totp?.secret ?? '' });
    return userManagement.authenticateWithTotp({
      code: app.generate({ timestamp: visit.emulator.clock.now() }),
      pendingAuthenticationToken,
      authenticationChallengeId: challenge.id,
    });
  },
  'userManagement.authenticateWithOrganizationSelection': async (visit) => {
    const { userManagement } = visit.sallyport;
    const { id: userId, signIn } = await newcomer(visit);
    for (const organizationId of ['org_litware', 'org_tailspin'])
      await userManagement.createOrganizationMembership({ userId, organizationId });
    const { pendingAuthenticationToken } = await stepOf(signIn, 'organization_selection_required');
    return userManagement.authenticateWithOrganizationSelection({
      pendingAuthenticationToken,
      organizationId: 'org_tailspin',
    });
  },
  'userManagement.logout': async (visit) => {
    const { id, signIn } = await newcomer(visit);
    await signIn();
    const [session] = (await visit.sallyport.userManagement.listSessions(id)).data;
    return open(visit, visit.sallyport.userManagement.getLogoutUrl({ sessionId: session?.id ?? 'none' }));
  },
  'sso.getProfileAndToken': profileAndToken,
  'sso.getProfile': async (visit) => {
    const { accessToken } = await profileAndToken(visit);
    return visit.sallyport.sso.getProfile({ accessToken });
  },
  'sso.authorizeByDomain': (visit) =>
    open(visit, visit.sallyport.legacy.sso.getAuthorizationUrl({ domain: 'fabrikam.test', redirectUri })),
};
