import type { Answer } from '../http/answer.js';
import { allowHost, allowPage, answerPreflight, authorize, cors } from './admission.js';
import type { Context, Step } from './context.js';
import { applyFault, limit, repeat, run } from './performing.js';
import { chooseEndpoint, match, readBody, refuseFields } from './routing.js';
import { actAs, redirectToOwnAddress, worldOfAddress, worldOfKey, worldOfRequest } from './worlds.js';

type Steps = readonly (Step | Steps)[];

/**
 * What happens to a request, in order. Each step answers the request or passes it on. The first step in a pair of brackets also sees
 * the answer of the others in it.
 *
 * The world is looked up twice: the world of the key limits the body, and a request without a key names its world in the body.
 */
export const chain: Steps = [
  cors,
  allowHost,
  worldOfAddress,
  answerPreflight,
  match,
  allowPage,
  worldOfKey,
  authorize,
  readBody,
  refuseFields,
  chooseEndpoint,
  worldOfRequest,
  redirectToOwnAddress,
  actAs,
  limit,
  [applyFault, [repeat, [run]]],
];

const flat = (steps: Steps): readonly Step[] =>
  steps.flatMap((step) => (typeof step === 'function' ? step : flat(step)));
const steps = flat(chain);

/** Pass a request through the chain. Rejects with what a step has thrown. */
export async function pass(context: Context): Promise<Answer> {
  const from = (at: number): ReturnType<Step> => steps[at]!(context, () => from(at + 1));
  return from(0);
}
