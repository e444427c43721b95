import type { Dialect } from '../service/describe/dialect.js';

/** Names in an authorization URL that differ between deployments. */
export interface AuthorizationNames
  extends Pick<Dialect, 'hostedProvider' | 'authorizeOrganizationParam'>,
    Partial<Pick<Dialect, 'hostedTakesOrganization'>> {}

/** These names for each dialect, repeated because whole dialects would be larger than the rest of the bundle. */
export const authorizationNames: Readonly<Record<'spec' | 'workos', AuthorizationNames>> = {
  spec: { hostedProvider: 'hosted-login', authorizeOrganizationParam: 'organization' },
  workos: { hostedProvider: 'authkit', authorizeOrganizationParam: 'organization_id', hostedTakesOrganization: true },
};
