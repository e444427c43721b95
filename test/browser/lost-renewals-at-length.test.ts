import { takesLong } from '../runner/requirements.js';
import { busyAnswers, lostAnswers, lostRequests } from '../session/lost-answer.js';
import { pageLosesAnswer, pageLosesRequest } from './lost-renewal.js';

takesLong('lost answers of pages at length', () => {
  for (const call of ['renewal', 'switch of the organization'] as const) {
    for (const [name, failure] of Object.entries(lostAnswers)) pageLosesAnswer(call, name, failure);
    for (const [name, failure] of Object.entries({ ...lostRequests, ...busyAnswers }))
      pageLosesRequest(call, name, failure);
  }
});
