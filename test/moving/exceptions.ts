/**
 * Calls written for @workos-inc/node 11 that need more changes than the import. Nothing here runs: the compiler refuses each call with
 * our client, and test/outsiders/moving.test.ts checks that it accepts them with that package. docs/moving.md lists the changes.
 */
import { Sallyport as WorkOS } from 'sallyport';

declare const workos: WorkOS;
const { directorySync, organizations, sso, userManagement, webhooks } = workos;
const sealed = { sessionData: 'Fe26.2*', cookiePassword: 'a password of more than 32 characters' };

export const exceptions = {
  // @ts-expect-error the client takes one argument, its options
  'a key alone': () => new WorkOS('sk_test_1'),
  // @ts-expect-error `for await`, or `toArray({ max })`
  'every page of a list': async () => (await userManagement.listUsers()).autoPagination(),
  // @ts-expect-error `catch` passes a value of type unknown
  'an error in a callback': () => organizations.getOrganization('org_01').catch((error) => error.status),
  // @ts-expect-error `payload` is the body as received
  'a parsed webhook': () => webhooks.constructEvent({ payload: { id: 'event_01' }, sigHeader: '', secret: '' }),

  // @ts-expect-error `mfa`
  'the room of factors': () => workos.multiFactorAuth.getFactor('auth_factor_01'),
  // @ts-expect-error `userManagement.enrollAuthFactor`
  'a factor of a user': () => workos.multiFactorAuth.createUserAuthFactor({ userId: 'user_01', type: 'totp' }),
  // @ts-expect-error `userManagement.listAuthFactors`
  'the factors of a user': () => workos.multiFactorAuth.listUserAuthFactors({ userId: 'user_01' }),
  // @ts-expect-error `portal`
  'the room of the portal': () => workos.adminPortal.generateLink({ organization: 'org_01', intent: 'sso' as never }),
  // @ts-expect-error `organizations.listOrganizationRoles`
  'the roles of an organization': () => workos.authorization.listOrganizationRoles('org_01'),
  // @ts-expect-error `organizations.getAuditLogsRetention`
  'the retention': () => workos.auditLogs.getOrganizationAuditLogsRetention({ id: 'org_01' }),
  // @ts-expect-error `authenticateWithCode`, which takes `codeVerifier` too
  'a public client': () => userManagement.authenticateWithCodeAndVerifier({ code: 'c', codeVerifier: 'v' }),
  // @ts-expect-error `loadSealedSession(…).authenticate()`
  'a sealed session in one call': () => userManagement.authenticateWithSessionCookie(sealed),
  // @ts-expect-error `unsealData`
  'the data of a sealed session': () => userManagement.getSessionFromCookie(sealed),
  // @ts-expect-error `getJwks`
  'the signing keys': () => userManagement.getJWKS(),
  // @ts-expect-error `verifyWebhook` of `sallyport/webhooks`
  'a signature alone': () => webhooks.verifyHeader({ payload: '', sigHeader: '', secret: '' }),
  // @ts-expect-error `request('GET', path)`
  'a request without a method of its own': () => workos.get('/radar/attempts'),

  // @ts-expect-error `connectionType`
  'the type of a connection': async () => (await sso.getConnection('conn_01')).type,
  // @ts-expect-error `billingCustomerId`
  'the customer of an organization': async () => (await organizations.getOrganization('org_01')).stripeCustomerId,
  // @ts-expect-error `groups` may be null
  'the groups of a person': async () => (await directorySync.getUser('directory_user_01')).groups.length,
  // @ts-expect-error `sendEmailChange` and `confirmEmailChange`
  'the email address of a user': () => userManagement.updateUser({ userId: 'user_01', email: 'ada@acme.test' }),
};
