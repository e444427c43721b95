import { lostAnswers, workosWithoutKeys } from '../session/lost-answer.js';
import { pageLosesAnswer, pageLosesRequest } from './lost-renewal.js';

// The kind of service where sessions end, depending on the wait and the place. The other kinds are tested at length.
pageLosesAnswer('renewal', 'the connection broke', lostAnswers['the connection broke']!, [workosWithoutKeys]);
pageLosesRequest('renewal', 'a refused connection', 'refused', [workosWithoutKeys]);
