import { kept } from '../world/world.js';
import type { AuthorizeFailure } from './authorize-request.js';

/** How the next authorizations end before anybody has signed in, the first one first. */
export const plannedFailures = kept(() => [] as AuthorizeFailure[]);

/** Connections by which nobody signs in who starts at the identity provider. */
export const withoutIdpInitiation = kept(() => new Set<string>());
