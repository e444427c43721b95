import type { AuthenticationPolicySeed, OrganizationSeed, Seed } from 'sallyport/emulator';

/** The password of every user. */
export const password = 'a lantern on the mole';

/** Secret of Chiara's authenticator app. */
export const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

const person = (email: string, more: object = {}) => ({
  id: `user_${email.split('@')[0]}`,
  email,
  password,
  email_verified: true,
  ...more,
});

const owner = (name: string, authentication_policy: AuthenticationPolicySeed): OrganizationSeed => ({
  id: `org_${name.toLowerCase()}`,
  name,
  domain_data: [{ domain: `${name.toLowerCase()}.test`, state: 'verified' }],
  authentication_policy,
});

/** Users who sign in in different ways, and the organizations that require these. */
export const seed: Seed = {
  organizations: [
    { id: 'org_northwind', name: 'Northwind' },
    { id: 'org_tailspin', name: 'Tailspin' },
    { id: 'org_litware', name: 'Litware' },
    owner('Vault', { mfa_required: true }),
    owner('Fabrikam', { sso_required: true }),
  ],
  connections: [
    {
      id: 'conn_fabrikam',
      organization_id: 'org_fabrikam',
      connection_type: 'OktaSAML',
      name: 'Fabrikam Okta',
      profiles: [{ idp_id: 'okta|gwen', email: 'gwen@fabrikam.test', first_name: 'Gwen', last_name: 'Adeyemi' }],
    },
  ],
  users: [
    person('ada@example.com', { first_name: 'Ada' }),
    person('chiara@example.com', { auth_factors: [{ type: 'totp', totp_secret: secret }] }),
    person('jo@example.com'),
    person('erin@vault.test'),
    person('gwen@fabrikam.test', { first_name: 'Gwen' }),
  ],
  memberships: [
    { user_id: 'user_jo', organization_id: 'org_northwind' },
    { user_id: 'user_jo', organization_id: 'org_tailspin' },
    { user_id: 'user_gwen', organization_id: 'org_fabrikam' },
  ],
};
