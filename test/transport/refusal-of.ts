import type { Sallyport } from 'sallyport';
import { expect } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';

/** The refusal of a call with wrong arguments, which sends nothing. */
export async function refusalOf(
  call: (sallyport: Sallyport) => PromiseLike<unknown>,
): Promise<Error & { argument?: string }> {
  const server = await serve({ body: {} });
  const error = (await failureOf(call(clientOf(server)))) as Error;
  expect(error).toMatchObject({ name: 'InvalidArgumentError', code: 'invalid_argument' });
  expect(server.requests).toEqual([]);
  return error;
}
