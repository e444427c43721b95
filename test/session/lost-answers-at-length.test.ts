import { takesLong } from '../runner/requirements.js';
import { busyAnswers, isBusy, losesAnswer, losesRequest, lostAnswers, lostRequests } from './lost-answer.js';

takesLong('if a refresh fails', () => {
  for (const name of Object.keys(lostAnswers)) losesAnswer(name);
  for (const name of Object.keys(lostRequests)) losesRequest(name);
  for (const name of Object.keys(busyAnswers)) isBusy(name);
});
