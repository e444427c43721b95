import type { Dialect } from '../service/describe/dialect.js';

/** Names of a deployment that an authorization URL needs. */
export interface AuthorizationNames
  extends Pick<Dialect, 'hostedProvider' | 'authorizeOrganizationParam'>,
    Partial<Pick<Dialect, 'hostedTakesOrganization'>> {}

/** The names of each dialect. The whole of them would weigh more than everything else here. */
export const authorizationNames: Readonly<Record<'spec' | 'workos', AuthorizationNames>> = {
  spec: { hostedProvider: 'hosted-login', authorizeOrganizationParam: 'organization' },
  workos: { hostedProvider: 'authkit', authorizeOrganizationParam: 'organization_id', hostedTakesOrganization: true },
};
