import { earlierMagicAuthResponse, userManagement } from '../../service/authentication.js';

export { invitations } from '../../service/invitations.js';
export { jwks } from '../../service/jwks.js';
export { magicAuths } from '../../service/magic-auth.js';
export { organizationMemberships } from '../../service/memberships.js';
export { mfa } from '../../service/mfa.js';
export { passwordResets } from '../../service/password-reset.js';
export { sessions } from '../../service/sessions.js';
export { users } from '../../service/users.js';

export { userManagement };

const { authenticateWithMagicAuth: magicAuth } = userManagement;
/** Operations of `legacy`, whose responses have the older form. */
export const earlier = {
  authenticateWithMagicAuth: {
    ...magicAuth,
    client: magicAuth.io.earlierForm,
    io: { ...magicAuth.io, returns: earlierMagicAuthResponse },
  },
};
