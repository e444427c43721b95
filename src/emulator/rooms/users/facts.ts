import { identity, user } from '../../../service/users.js';
import type { Fact, Facts } from '../../world/facts.js';
import { type IdentityRecord, identities } from './identities.js';
import { passwords } from './passwords.js';
import { fullNameOf, type UserRecord, users } from './records.js';

const name: Fact<UserRecord> = { label: 'Name', of: fullNameOf };

export const userFacts: Facts<UserRecord> = {
  noun: 'user',
  model: user,
  all: (memory) => memory.of(users),
  title: 'email',
  columns: [['email', 'Email address'], name, ['lastSignInAt', 'Last sign-in'], 'id'],
  empty: 'No users yet. Users appear here when they sign up. You can also add them in a seed.',
  facts: [
    'id',
    name,
    'emailVerified',
    { label: 'Password', of: ({ id }, memory) => (memory.of(passwords).has(id) ? 'set' : 'none') },
    'createdAt',
    ['lastSignInAt', 'Last sign-in'],
    ['externalId', 'External ID'],
    'metadata',
  ],
};

export const identityFacts: Facts<IdentityRecord> = {
  model: identity,
  all: (memory) => memory.of(identities),
  columns: ['provider'],
  empty: 'No linked accounts.',
};
