import { array, body, type Fields, maybe, opaque, ref, string } from '../../service/describe/define.js';
import { organizationDomains } from '../rooms/organizations/domains.js';
import { organizationsSection } from '../rooms/organizations/seed.js';
import { usersSection } from '../rooms/users/seed.js';
import { addition, batchSection } from '../seed/section.js';
import { unprocessableField } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { claimTemplateOf, setCustomClaims } from './custom-claims.js';
import { enrollFactor, type FactorRecord, factors, newFactor } from './factors.js';
import {
  entitlementsOf,
  featureFlagsOf,
  setEntitlements,
  setOrganizationFeatureFlags,
  setUserFeatureFlags,
} from './features.js';
import {
  type NewAuthenticationPolicy,
  newAuthenticationPolicy,
  policyToSet,
  setAuthenticationPolicy,
} from './policies.js';

const { userId: _, ...factorFields } = newFactor.shape;

/** An authenticator app or a telephone of a user. */
export const seedFactor = body(factorFields);

/** What users have beside what their room says. */
export const seedUserFactors = body({
  /** The user's second factors. */
  authFactors: maybe(array(ref<Fields<typeof seedFactor>>(seedFactor))),
});

/** Second factors, planted with their users. */
export const factorsOfUsers = addition(usersSection, seedUserFactors, {
  authFactors: {
    noun: 'authentication factor',
    plant: (world, factor, { id }) => enrollFactor(world, { ...factor, userId: id }),
    export: (world, { id }) => world.of(factors).where('userId', id).values(),
    exportedFields: (_, { seed }: FactorRecord) =>
      seed ? { totpIssuer: seed.issuer, totpUser: seed.user, totpSecret: seed.secret } : {},
  },
});

/** What organizations have beside what their room says. */
export const seedOrganizationPolicy = body({
  /** How people with an address in one of its verified domains have to sign in. */
  authenticationPolicy: maybe(ref<NewAuthenticationPolicy>(newAuthenticationPolicy)),
});

/** Policies, planted with their organizations. */
export const policiesOfOrganizations = addition(organizationsSection, seedOrganizationPolicy, {
  authenticationPolicy: {
    plant(world, policy, { id }) {
      if (policy.ssoRequired && policy.authMethods)
        throw unprocessableField(
          'auth_methods',
          'mutually_exclusive',
          'Allows methods that sso_required does not; keep one of the two',
        );
      if (!hasVerifiedDomain(world, id))
        throw unprocessableField(
          '',
          'no_verified_domain',
          'Holds for addresses in verified domains, and this organization has none; give it one in domain_data',
        );
      setAuthenticationPolicy(world, id, policy);
    },
    export: (world, { id }) => (hasVerifiedDomain(world, id) ? policyToSet(world, id) : undefined),
  },
});

const hasVerifiedDomain = (world: World, organizationId: string): boolean =>
  world
    .of(organizationDomains)
    .where('organizationId', organizationId)
    .find(({ state }) => state === 'verified') !== undefined;

/** What organizations have beside what their room says, for their access tokens. */
export const seedOrganizationFeatures = body({
  /** Slugs of what it has paid for: `entitlements` of its members' access tokens. */
  entitlements: maybe(array(string)),
  /** Slugs of the features that are on: `feature_flags` of its members' access tokens. */
  featureFlags: maybe(array(string)),
});

/** Entitlements and features, planted with their organizations. */
export const featuresOfOrganizations = addition(organizationsSection, seedOrganizationFeatures, {
  entitlements: {
    plant: (world, slug, { id }) => setEntitlements(world, id, [...entitlementsOf(world, id), slug]),
    export: (world, { id }) => entitlementsOf(world, id),
  },
  featureFlags: {
    plant: (world, slug, { id }) => setOrganizationFeatureFlags(world, id, [...featureFlagsOf(world, id), slug]),
    export: (world, { id }) => featureFlagsOf(world, id),
  },
});

/** What users have beside what their room says, for their access tokens. */
export const seedUserFeatures = body({
  /** Slugs of the features that are on for this user, beside those of the organization. */
  featureFlags: maybe(array(string)),
});

/** Features, planted with their users. */
export const featuresOfUsers = addition(usersSection, seedUserFeatures, {
  featureFlags: {
    plant: (world, slug, { id }) => setUserFeatureFlags(world, id, [...featureFlagsOf(world, id), slug]),
    export: (world, { id }) => featureFlagsOf(world, id),
  },
});

/**
 * Claims that access tokens carry beside the service's own. Texts may hold placeholders of user, organization and
 * organization_membership, `{{ organization.metadata.plan || 'free' }}`; one that stands alone becomes the value itself.
 */
export const customClaimsSection = batchSection({
  name: 'customClaims',
  entry: opaque,
  async plantAll(world, templates, attempt) {
    for (const claims of templates) await attempt([], () => setCustomClaims(world, claims, ''));
  },
  export: (world) => [claimTemplateOf(world)].filter((claims) => Object.keys(claims).length > 0),
});
