import { triesAll } from '../runner/property.js';
import {
  busyAnswers,
  isBusy,
  losesAnswer,
  losesRequest,
  lostAnswers,
  lostRequests,
  servicesFor,
  workosWithoutKeys,
} from './lost-answer.js';

if (triesAll) {
  for (const name of Object.keys(lostAnswers)) losesAnswer(name, servicesFor(name));
  for (const name of Object.keys(lostRequests)) losesRequest(name, servicesFor(name));
  for (const name of Object.keys(busyAnswers)) isBusy(name);
} else {
  // The kind of service where sessions end, depending on the wait and the process.
  losesAnswer('connection reset', [workosWithoutKeys]);
  losesRequest('connection refused', [workosWithoutKeys]);
}
