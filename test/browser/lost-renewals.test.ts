import { describe } from 'vitest';
import { lostAnswers, workosWithoutKeys } from '../session/lost-answer.js';
import { pageLosesAnswer, pageLosesRequest } from './lost-renewal.js';

// The kind of service where sessions end, depending on the wait and the place. The other kinds are tested at length.
describe('if a request of a page fails', () => {
  pageLosesAnswer('renewal', 'the connection breaks', lostAnswers['the connection breaks']!, [workosWithoutKeys]);
  pageLosesRequest('renewal', 'the connection is refused', 'refused', [workosWithoutKeys]);
});
