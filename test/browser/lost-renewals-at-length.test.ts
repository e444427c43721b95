import { takesLong } from '../runner/requirements.js';
import { busyAnswers, lostAnswers, lostRequests } from '../session/lost-answer.js';
import { pageLosesAnswer, pageLosesRequest } from './lost-renewal.js';

takesLong('if a request of a page fails', () => {
  for (const [name, failure] of Object.entries(lostAnswers)) {
    pageLosesAnswer('renewal', name, failure);
    pageLosesAnswer('switch of the organization', name, failure);
  }
  for (const [name, failure] of Object.entries({ ...lostRequests, ...busyAnswers }))
    pageLosesRequest('renewal', name, failure);
});
