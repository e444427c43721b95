import { array, oneOf, part, ref, string } from '../../../service/describe/define.js';
import { value } from '../../world/memory.js';
import { authorizationErrors } from './authorizations.js';
import type { AuthorizeFailure } from './authorize-request.js';

/** Failures planned for the next authorizations, in order. */
export const plannedFailures = value<readonly AuthorizeFailure[]>(
  'planned failures of authorizations',
  [],
  array(ref<AuthorizeFailure>(part({ error: oneOf(...authorizationErrors), description: string }))),
);
