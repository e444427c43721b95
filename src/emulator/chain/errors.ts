// Answers to requests that a step has not answered.
import { testEnvironmentAdvice } from '../../http/fetch-advice.js';
import { type Answer, json, markAnswer, refusalAnswer } from '../http/answer.js';
import { limitPage, wantsPage } from '../http/error-page.js';
import { Refusal } from '../store/refusal.js';
import type { Context } from './context.js';

/** Answer a request with the error that a step has thrown. */
export const failedAnswer = (context: Context, error: unknown, onFault: (error: unknown) => void): Answer => {
  if (error instanceof Refusal) return refusedAnswer(context, error);
  onFault(error);
  const operation = context.endpoints[0]?.route?.operation.id;
  const answer = json(500, {
    message: `The emulator failed${operation ? ` in ${operation}` : ''}. ${testEnvironmentAdvice() ?? 'This is a bug in the emulator, not in the request'}. Pass debug: true to createEmulator to print the stack`,
    code: 'emulator_error',
  });
  return markAnswer('fault', answer);
};

/** Answer a refused request with JSON, or with a page if a browser is above a rate limit. */
export function refusedAnswer({ endpoints: [first], request }: Context, refusal: Refusal): Answer {
  const isPage = first?.page || (first?.route?.operation.kind === 'url' && wantsPage(request));
  return refusal.status === 429 && isPage ? limitPage(refusal) : refusalAnswer(refusal);
}
