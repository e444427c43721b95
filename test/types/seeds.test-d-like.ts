/**
 * What the compiler must say about seeds. Nothing here runs: `npm run typecheck` fails when a line no longer means what it
 * should, and when an `@ts-expect-error` has become unnecessary.
 */

import {
  type AuthMethodsSeed,
  createEmulator,
  type DirectoryUserSeed,
  type DomainSeed,
  type OrganizationSeed,
  type Seed,
  type UserSeed,
} from '../../src/emulator/index.js';

// A path, a URL, an object, or nothing.
createEmulator({ seed: 'company.yaml' });
createEmulator({ seed: new URL('file:///company.yaml') });
createEmulator({ seed: { organizations: [{ name: 'Acme', external_id: null, domain_data: undefined }] } });
createEmulator({ seed: undefined });
// @ts-expect-error a section that does not exist
createEmulator({ seed: { organisations: [] } });
// @ts-expect-error a field that is misspelt
createEmulator({ seed: { organizations: [{ name: 'Acme', externl_id: 'a' }] } });
// @ts-expect-error a field in the client's names: seeds have the names of files
createEmulator({ seed: { organizations: [{ name: 'Acme', externalId: 'a' }] } });
// @ts-expect-error the name is missing
createEmulator({ seed: { organizations: [{ id: 'org_acme' }] } });
// @ts-expect-error a state that no domain has
export const wrongState: DomainSeed = { domain: 'acme.test', state: 'verifed' };
// @ts-expect-error the service does not allow null here
createEmulator({ seed: { users: [{ email: 'ada@acme.test', email_verified: null }] } });

// Values are checked too, including those of sign-in fields.
const user: UserSeed = { email: 'ada@acme.test', auth_factors: [{ type: 'totp' }] };
const organization: OrganizationSeed = { name: 'Acme', authentication_policy: { auth_methods: { magic_auth: true } } };
const seed: Seed = { users: [user], organizations: [organization] };
createEmulator({ seed });
// @ts-expect-error a factor that does not exist
export const wrongFactor: UserSeed = { email: 'ada@acme.test', auth_factors: [{ type: 'fax' }] };
// @ts-expect-error the client's name of a method
export const wrongMethods: AuthMethodsSeed = { magicAuth: true };

// Known values are completed, and other values are allowed. Providers choose their own keys. A seed may be frozen.
createEmulator({ seed: { connections: [{ connection_type: 'SomeNewSAML' }] } });
export const person: DirectoryUserSeed = { raw_attributes: { anyKey: { atAll: 1 } } };
const frozen = {
  organizations: [{ name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] }],
} as const;
createEmulator({ seed: frozen });
// @ts-expect-error the main address is a text
export const nobody: DirectoryUserSeed = { email: 1 };
