// Rejections of a sign-in that have a token to continue it, written by hand. The first six are complete; others lack a value, have
// null or another type in some place, or ask for an unlisted step.

export const pending_authentication_token = 'pending-0815';

const times = { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-02-03T04:05:06.789Z' };
const noTimes = { created_at: null, updated_at: null };
const user = {
  object: 'user',
  id: 'user_01',
  email: 'ada@acme.test',
  first_name: 'Ada',
  last_name: null,
  email_verified: true,
  profile_picture_url: null,
  external_id: null,
  last_sign_in_at: null,
  locale: null,
  ...times,
};
const { object: _, ...userWithoutObject } = user;
const acme = { id: 'org_01', name: 'Acme' };
const totp = { id: 'auth_factor_01', type: 'totp' };

const selection = {
  code: 'organization_selection_required',
  message: 'The user must choose an organization.',
  pending_authentication_token,
  organizations: [acme, { id: 'org_02', name: 'Bolt' }],
  user,
};
const sso = {
  error: 'sso_required',
  error_description: 'The user must sign in with SSO.',
  pending_authentication_token,
  email: 'ada@acme.test',
  connection_ids: ['conn_01', 'conn_02'],
};
const methods = {
  error: 'organization_authentication_methods_required',
  error_description: 'The organization does not allow passwords.',
  pending_authentication_token,
  email: 'ada@acme.test',
  sso_connection_ids: ['conn_01'],
  auth_methods: { google_oauth: true, magic_auth: true, password: false },
};
const verification = {
  code: 'email_verification_required',
  message: 'The email address must be verified.',
  pending_authentication_token,
  email: 'ada@acme.test',
  email_verification_id: 'email_verification_01',
};
const challenge = {
  code: 'mfa_challenge',
  message: 'The user must prove a second factor.',
  pending_authentication_token,
  authentication_factors: [totp],
  authentication_challenge: {
    object: 'authentication_challenge',
    id: 'auth_challenge_01',
    authentication_factor_id: 'auth_factor_01',
    expires_at: '2026-01-02T03:14:05.678Z',
    ...times,
  },
  user,
};
const enrollment = {
  code: 'mfa_enrollment',
  message: 'The user must enroll a second factor.',
  pending_authentication_token,
  user,
};

const without = (body: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const unlisted = 'sign_in_step_required';

/** A description of the response, its status and body, the code of the step, and the code of the service. */
export type PendingRow = readonly [
  title: string,
  status: number,
  body: Readonly<Record<string, unknown>>,
  code: string,
  serviceCode: string | undefined,
];

const row = (title: string, status: number, body: object, code: string, serviceCode?: string): PendingRow => [
  title,
  status,
  { ...body },
  code,
  code === unlisted ? serviceCode : code,
];

export const completeRows: readonly PendingRow[] = [
  row('the code organization_selection_required', 403, selection, 'organization_selection_required'),
  row('the code sso_required', 400, sso, 'sso_required'),
  row(
    'the code organization_authentication_methods_required',
    400,
    methods,
    'organization_authentication_methods_required',
  ),
  row('the code email_verification_required', 403, verification, 'email_verification_required'),
  row('the code mfa_challenge', 403, challenge, 'mfa_challenge'),
  row('the code mfa_enrollment', 403, enrollment, 'mfa_enrollment'),
];

export const pendingRows: readonly PendingRow[] = [
  ...completeRows,

  row('an organization choice without organizations', 403, without(selection, 'organizations'), selection.code),
  row(
    'an organization choice with null instead of organizations',
    403,
    { ...selection, organizations: null },
    selection.code,
  ),
  row(
    'an organization choice with a string instead of organizations',
    422,
    { ...selection, organizations: 'Acme, Bolt' },
    selection.code,
  ),
  row('an organization without a name', 403, { ...selection, organizations: [acme, { id: 'org_02' }] }, selection.code),
  row(
    'an organization with a null name',
    403,
    { ...selection, organizations: [{ id: 'org_02', name: null }] },
    selection.code,
  ),
  row('an organization without an id', 403, { ...selection, organizations: [acme, { name: 'Bolt' }] }, selection.code),
  row('an organization with a null id', 400, { ...selection, organizations: [{ id: null }] }, selection.code),
  row(
    'an organization choice with null instead of an organization',
    403,
    { ...selection, organizations: [null, acme] },
    selection.code,
  ),
  row(
    'an organization with a new field',
    403,
    { ...selection, organizations: [{ ...acme, logo: {} }] },
    selection.code,
  ),
  row('an organization choice without a user', 403, without(selection, 'user', 'message'), selection.code),
  row(
    'an organization choice with null dates in the user',
    403,
    { ...selection, user: { ...user, ...noTimes } },
    selection.code,
  ),
  row(
    'an organization choice with only the id of the user',
    403,
    { ...selection, user: { id: 'user_01' } },
    selection.code,
  ),
  row(
    'the code organization_selection_required in the error field',
    401,
    { ...without(selection, 'code'), error: selection.code },
    selection.code,
  ),

  row('an SSO requirement without connections', 400, without(sso, 'connection_ids'), sso.error),
  row('an SSO requirement with null connections', 400, { ...sso, connection_ids: null }, sso.error),
  row('a connection that is not a string', 422, { ...sso, connection_ids: ['conn_01', 7] }, sso.error),
  row('an SSO requirement with a null email address', 400, { ...sso, email: null, error_description: null }, sso.error),
  row('the code sso_required in the code field', 403, { ...without(sso, 'error'), code: sso.error }, sso.error),

  row('missing sign-in methods', 400, without(methods, 'auth_methods', 'sso_connection_ids'), methods.error),
  row('sign-in methods in a list', 403, { ...methods, auth_methods: ['password'] }, methods.error),
  row('a sign-in method with the value null', 400, { ...methods, auth_methods: { password: null } }, methods.error),

  row('an email verification without an email address', 403, without(verification, 'email'), verification.code),
  row(
    'an email verification with null values',
    401,
    { ...verification, email: null, email_verification_id: null },
    verification.code,
  ),
  row(
    'an email verification with a number instead of an email address',
    422,
    { ...verification, email: 7 },
    verification.code,
  ),

  row('a challenge without factors', 403, without(challenge, 'authentication_factors'), challenge.code),
  row('a challenge with null instead of factors', 403, { ...challenge, authentication_factors: null }, challenge.code),
  row('a factor without a type', 403, { ...challenge, authentication_factors: [{ id: 'f' }] }, challenge.code),
  row('a factor without an id', 403, { ...challenge, authentication_factors: [{ type: 'sms' }, totp] }, challenge.code),
  row(
    'a challenge that is a string',
    403,
    { ...challenge, authentication_challenge: 'auth_challenge_01' },
    challenge.code,
  ),
  row(
    'a challenge with only an id',
    422,
    { ...challenge, authentication_challenge: { id: 'auth_challenge_01' }, user: null },
    challenge.code,
  ),
  row(
    'a challenge with null dates',
    403,
    { ...challenge, authentication_challenge: { id: 'auth_challenge_01', ...noTimes, expires_at: null } },
    challenge.code,
  ),

  row('an enrollment whose user has no object field', 403, { ...enrollment, user: userWithoutObject }, enrollment.code),
  row(
    'an enrollment whose user has an unknown object field',
    403,
    { ...enrollment, user: { ...user, object: 'person' } },
    enrollment.code,
  ),
  row(
    'an enrollment whose user has null dates',
    403,
    { ...enrollment, user: { ...user, ...noTimes } },
    enrollment.code,
  ),
  row('an enrollment whose user has only an id', 403, { ...enrollment, user: { id: 'user_01' } }, enrollment.code),
  row('an enrollment without a user', 401, without(enrollment, 'user'), enrollment.code),
  row('an enrollment with null instead of a user', 403, { ...enrollment, user: null }, enrollment.code),
  row('an enrollment with a string instead of a user', 403, { ...enrollment, user: 'user_01' }, enrollment.code),

  row(
    'the code radar_email_challenge',
    403,
    { code: 'radar_email_challenge', pending_authentication_token, radar_challenge_id: 'radar_challenge_01', user },
    unlisted,
    'radar_email_challenge',
  ),
  row(
    'the code radar_sms_challenge',
    403,
    { code: 'radar_sms_challenge', message: 'Send a text message.', pending_authentication_token, user: null },
    unlisted,
    'radar_sms_challenge',
  ),
  row(
    'the code radar_challenge',
    403,
    { code: 'radar_challenge', pending_authentication_token },
    unlisted,
    'radar_challenge',
  ),
  row(
    'the code passkey_progressive_enrollment',
    403,
    { code: 'passkey_progressive_enrollment', pending_authentication_token, user: { ...user, ...noTimes } },
    unlisted,
    'passkey_progressive_enrollment',
  ),
  row(
    'the code mfa_verification',
    422,
    { code: 'mfa_verification', pending_authentication_token },
    unlisted,
    'mfa_verification',
  ),
  row(
    'an unknown code in the code field',
    400,
    { code: 'retina_scan_required', pending_authentication_token, retina_scanners: [{ id: 'left' }] },
    unlisted,
    'retina_scan_required',
  ),
  row(
    'an unknown code in the error field',
    401,
    { error: 'retina_scan_required', error_description: 'Look here.', pending_authentication_token },
    unlisted,
    'retina_scan_required',
  ),
  row('the code constructor', 403, { code: 'constructor', pending_authentication_token }, unlisted, 'constructor'),
  row('a missing code', 403, { message: 'Go on.', pending_authentication_token }, unlisted),
  row('a null code', 401, { code: null, error: null, pending_authentication_token }, unlisted),
  row('a number as the code', 422, { code: 7, pending_authentication_token, errors: [null] }, unlisted),
  row('a response without other fields', 400, { pending_authentication_token }, unlisted),
  row(
    'the code invalid_grant',
    400,
    { error: 'invalid_grant', pending_authentication_token },
    unlisted,
    'invalid_grant',
  ),
  row(
    'the code invalid_client',
    401,
    { error: 'invalid_client', pending_authentication_token },
    unlisted,
    'invalid_client',
  ),
];

/** Rejections without a usable token. */
export const tokenlessRows: readonly (readonly [title: string, body: unknown])[] = [
  ['no token', { code: 'retina_scan_required' }],
  ['a null token', { code: 'retina_scan_required', pending_authentication_token: null }],
  ['an empty token', { code: 'retina_scan_required', pending_authentication_token: '' }],
  ['a number as the token', { code: 'retina_scan_required', pending_authentication_token: 7 }],
  ['a token in a nested object', { code: 'retina_scan_required', details: { pending_authentication_token } }],
  ['a token inside a list', [{ code: 'retina_scan_required', pending_authentication_token }]],
  ['a token inside a string', `pending_authentication_token=${pending_authentication_token}`],
  ['an enrollment without a token', without(enrollment, 'pending_authentication_token')],
  ['a challenge without a token', without(challenge, 'pending_authentication_token')],
];
