import { array, body, type Fields, maybe, opaque, ref, string } from '../../service/describe/define.js';
import { organizationDomains } from '../rooms/organizations/domains.js';
import { organizationsSection } from '../rooms/organizations/seed.js';
import { usersSection } from '../rooms/users/seed.js';
import { addition, batchSection } from '../seed/section.js';
import { unprocessableField } from '../store/refusal.js';
import type { Memory } from '../world/memory.js';
import { enrollFactor, type FactorRecord, factors, newFactor } from './factors/factors.js';
import {
  exportPolicy,
  type NewAuthenticationPolicy,
  newAuthenticationPolicy,
  setAuthenticationPolicy,
} from './proof/policies.js';
import { claimTemplateOf, setCustomClaims } from './sessions/custom-claims.js';
import {
  entitlementsOf,
  featureFlagsOf,
  setEntitlements,
  setOrganizationFeatureFlags,
  setUserFeatureFlags,
} from './sessions/features.js';

const { userId: _, ...factorFields } = newFactor.shape;

export const seedFactor = body(factorFields);

/** Second factors of users. */
export const seedUserFactors = body({
  /** The user's second factors. */
  authFactors: maybe(array(ref<Fields<typeof seedFactor>>(seedFactor))),
});

/** Second factors, seeded with their users. */
export const factorsOfUsers = addition(usersSection, seedUserFactors, {
  authFactors: {
    collection: factors,
    plant: (memory, factor, { id }) => enrollFactor(memory, { ...factor, userId: id }),
    exportedFields: (_, { seed }: FactorRecord) =>
      seed ? { totpIssuer: seed.issuer, totpUser: seed.user, totpSecret: seed.secret } : {},
  },
});

/** Authentication policies of organizations. */
export const seedOrganizationPolicy = body({
  /** How users with an address in one of its verified domains must sign in. */
  authenticationPolicy: maybe(ref<NewAuthenticationPolicy>(newAuthenticationPolicy)),
});

/** Policies, seeded with their organizations. */
export const policiesOfOrganizations = addition(organizationsSection, seedOrganizationPolicy, {
  authenticationPolicy: {
    plant(memory, policy, { id }) {
      if (policy.ssoRequired && policy.authMethods)
        throw unprocessableField(
          'auth_methods',
          'mutually_exclusive',
          'Conflicts with sso_required, which allows no other method; remove one of the two',
        );
      if (!hasVerifiedDomain(memory, id))
        throw unprocessableField(
          '',
          'no_verified_domain',
          'Has no effect: it applies to addresses in verified domains, and this organization has none; add one in domain_data',
        );
      setAuthenticationPolicy(memory, id, policy);
    },
    export: (memory, { id }) => (hasVerifiedDomain(memory, id) ? exportPolicy(memory, id) : undefined),
  },
});

const hasVerifiedDomain = (memory: Memory, organizationId: string): boolean =>
  memory
    .of(organizationDomains)
    .where('organizationId', organizationId)
    .find(({ state }) => state === 'verified') !== undefined;

/** Entitlements and features of organizations. */
export const seedOrganizationFeatures = body({
  /** Entitlement slugs: `entitlements` in access tokens of its members. */
  entitlements: maybe(array(string)),
  /** Slugs of the enabled features: `feature_flags` in access tokens of its members. */
  featureFlags: maybe(array(string)),
});

/** Entitlements and features, seeded with their organizations. */
export const featuresOfOrganizations = addition(organizationsSection, seedOrganizationFeatures, {
  entitlements: {
    plant: (memory, slug, { id }) => setEntitlements(memory, id, [...entitlementsOf(memory, id), slug]),
    export: (memory, { id }) => entitlementsOf(memory, id),
  },
  featureFlags: {
    plant: (memory, slug, { id }) => setOrganizationFeatureFlags(memory, id, [...featureFlagsOf(memory, id), slug]),
    export: (memory, { id }) => featureFlagsOf(memory, id),
  },
});

/** Features of users. */
export const seedUserFeatures = body({
  /** Slugs of the features enabled for this user, in addition to those of the organization. */
  featureFlags: maybe(array(string)),
});

/** Features, seeded with their users. */
export const featuresOfUsers = addition(usersSection, seedUserFeatures, {
  featureFlags: {
    plant: (memory, slug, { id }) => setUserFeatureFlags(memory, id, [...featureFlagsOf(memory, id), slug]),
    export: (memory, { id }) => featureFlagsOf(memory, id),
  },
});

export const customClaimsSection = batchSection({
  name: 'customClaims',
  entry: opaque,
  async plantAll(memory, templates, attempt) {
    for (const claims of templates) await attempt([], () => setCustomClaims(memory, claims, ''));
  },
  export: (memory) => [claimTemplateOf(memory)].filter((claims) => Object.keys(claims).length > 0),
});
