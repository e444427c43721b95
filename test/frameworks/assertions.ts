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

/** The assertions for applications with a server. */
export const assertions: readonly Assertion[] = [
  ...signingIn,
  ...cookies,
  ...expiry,
  ...outages,
  ...signingOut,
  ...organizations,
  ...permissions,
  ...guardedPaths,
  ...openPaths,
  ...bearer,
  ...accessTokens,
  ...streaming,
];

/** The assertions of a framework. */
export const assertionsOf = ({ suite, without = {} }: Framework): readonly Pick<Assertion, 'title' | 'holds'>[] =>
  suite === 'single-page'
    ? singlePage
    : assertions.filter((one) => (suite === 'full' || one.of === 'all') && !(one.title in without));
