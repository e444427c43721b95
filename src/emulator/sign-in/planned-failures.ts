import { value } from '../world/world.js';
import type { AuthorizeFailure } from './authorize-request.js';

/** How the next authorizations end before anybody has signed in, the first one first. */
export const plannedFailures = value<readonly AuthorizeFailure[]>('planned failures of authorizations', []);
