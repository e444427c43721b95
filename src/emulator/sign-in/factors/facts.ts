import { authenticationFactor } from '../../../service/mfa.js';
import type { Facts } from '../../world/facts.js';
import { type FactorRecord, factors } from './factors.js';

export const factorFacts: Facts<FactorRecord> = {
  model: authenticationFactor,
  all: (memory) => memory.of(factors),
  columns: [
    { label: 'Type', of: ({ type, phoneNumber }) => phoneNumber ?? `authenticator app (${type})` },
    ['createdAt', 'Added'],
  ],
  empty: 'No authentication factors.',
};
