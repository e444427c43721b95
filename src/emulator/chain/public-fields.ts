/** Fields that the public service has for an operation, and on which the emulator does not act. */
interface PublicFields {
  /** They have no effect: they describe the caller or the device, or change mails and pages that the emulator does not have. */
  readonly withoutEffect?: readonly string[];
  /** They are refused, because leaving them out would change later answers. With each, what to do instead. */
  readonly refused?: Readonly<Record<string, string>>;
}

const caller = ['ip_address', 'user_agent'];
const device = ['device_id', 'radar_auth_attempt_id', 'signals_id'];
const providerParameters = ['domain_hint', 'provider_query_params', 'provider_scopes'];

const otherGrant = 'Sign in with another grant type';
const radar = `It belongs to a Radar challenge. ${otherGrant}`;
const grant: PublicFields = {
  withoutEffect: device,
  refused: {
    device_code: `It belongs to the device flow. ${otherGrant}`,
    phone_number: radar,
    radar_challenge_id: radar,
    verification_id: radar,
  },
};

const inBody = 'Send it in the body';
const user: PublicFields = {
  withoutEffect: [...caller, 'signals_id'],
  refused: {
    password_salt_position:
      'Leave it out, and import the hash in a format that contains the salt, such as {SSHA} with the salt after the digest',
  },
};

/** The fields of each operation by its id. The emulator acts on all other fields that the description of the operation has. */
export const publicFields: Readonly<Partial<Record<string, PublicFields>>> = {
  'invitations.send': { withoutEffect: ['locale'] },
  'magicAuth.create': { withoutEffect: [...caller, 'radar_auth_attempt_id', 'signals_id'] },
  'portal.generateLink': { withoutEffect: ['it_contact_emails'] },
  'sso.authorize': { withoutEffect: [...providerParameters, 'nonce', 'prompt'] },
  'sso.authorizeByDomain': { withoutEffect: [...providerParameters, 'nonce', 'prompt'] },
  'sso.getProfileAndToken': {
    refused: { client_id: inBody, client_secret: inBody, code: inBody, grant_type: inBody },
  },
  'userManagement.authorize': { withoutEffect: providerParameters },
  'userManagement.authenticateWithCode': grant,
  'userManagement.authenticateWithPassword': grant,
  'userManagement.authenticateWithMagicAuth': grant,
  'userManagement.authenticateWithRefreshToken': { ...grant, withoutEffect: [...caller, ...device] },
  'userManagement.authenticateWithEmailVerification': grant,
  'userManagement.authenticateWithTotp': grant,
  'userManagement.authenticateWithOrganizationSelection': grant,
  'users.create': user,
  'users.update': { refused: user.refused! },
};
