import type { Assertion } from './assertion.js';
import { accessTokens } from './assertions/access-tokens.js';
import { bearer } from './assertions/bearer.js';
import { cookies } from './assertions/cookies.js';
import { expiry } from './assertions/expiry.js';
import { openPaths } from './assertions/open-paths.js';
import { organizations } from './assertions/organizations.js';
import { outages } from './assertions/outages.js';
import { permissions } from './assertions/permissions.js';
import { guardedPaths } from './assertions/protected-paths.js';
import { signingIn } from './assertions/signing-in.js';
import { signingOut } from './assertions/signing-out.js';
import { singlePage } from './assertions/single-page.js';
import { streaming } from './assertions/streaming.js';
import type { Framework } from './frameworks.js';

/** The assertions, by subject. */
export const subjects: Readonly<Record<string, readonly Assertion[]>> = {
  'during sign-in': signingIn,
  'for cookies': cookies,
  'after an access token has expired': expiry,
  'during an outage of the service': outages,
  'during sign-out': signingOut,
  'for organizations': organizations,
  'for permissions and recent sign-ins': permissions,
  'for protected paths': guardedPaths,
  'for open paths': openPaths,
  'for bearer tokens': bearer,
  'for the access token of a session': accessTokens,
  'while it streams': streaming,
};

/** The titles of all assertions. */
export const titles: readonly string[] = Object.values(subjects).flatMap((all) => all.map(({ title }) => title));

/** The assertions of a framework, with the subject of each. */
export function assertionsOf({ suite, without = {} }: Framework): readonly (readonly [string, Made])[] {
  if (suite === 'single-page') return singlePage.map((one) => ['without a server', one]);
  return Object.entries(subjects).flatMap(([subject, assertions]) =>
    assertions
      .filter((one) => (suite === 'full' || one.of === 'all') && !(one.title in without))
      .map((one) => [subject, one] as const),
  );
}

type Made = Pick<Assertion, 'title' | 'holds'>;
