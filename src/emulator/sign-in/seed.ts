import { array, body, type Fields, maybe, ref } from '../../service/describe/define.js';
import { organizationDomains } from '../rooms/organizations/domains.js';
import { organizationsSection } from '../rooms/organizations/seed.js';
import { usersSection } from '../rooms/users/seed.js';
import { addition } from '../seed/section.js';
import { unprocessableField } from '../world/refusal.js';
import { enrollFactor, newFactor } from './factors.js';
import { type NewAuthenticationPolicy, newAuthenticationPolicy, setAuthenticationPolicy } from './policies.js';

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
      if (
        !world
          .of(organizationDomains)
          .where('organizationId', id)
          .find(({ state }) => state === 'verified')
      )
        throw unprocessableField(
          '',
          'no_verified_domain',
          'Holds for addresses in verified domains, and this organization has none; give it one in domain_data',
        );
      setAuthenticationPolicy(world, id, policy);
    },
  },
});
