// Answers of the service, by their wire names, typed in from the specification.

const times = { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-02-03T04:05:06.789Z' };

/** An organization on the wire. */
export const wireOrganization = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'organization',
  id: 'org_01',
  name: 'Acme',
  allow_profiles_outside_organization: false,
  domains: [{ object: 'organization_domain', id: 'org_domain_01', domain: 'acme.test', state: 'verified' }],
  ...times,
  ...changes,
});

/** A user on the wire. */
export const wireUser = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
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
  ...changes,
});

/** A page of a list on the wire. */
export const wirePage = (
  data: readonly unknown[],
  metadata: unknown = { before: null, after: null },
): Record<string, unknown> => ({ object: 'list', data, list_metadata: metadata });

/** What signing in answers. */
export const wireSession = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  user: wireUser(),
  organization_id: null,
  access_token: 'access-token-of-ada',
  refresh_token: 'refresh-token-of-ada',
  ...changes,
});
