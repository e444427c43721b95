import { describe } from 'vitest';
import { losesAnswer, losesRequest, lostAnswers, survives, workosWithoutKeys } from './lost-answer.js';

// The kind of service where sessions end, depending on the wait and the process. The other kinds are tested at length.
describe('if a refresh fails', () => {
  losesAnswer('the connection breaks', [workosWithoutKeys]);
  losesRequest('the connection is refused', [workosWithoutKeys]);
  for (const [name, failure] of Object.entries(lostAnswers)) survives(name, failure);
});
