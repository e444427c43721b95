import { type Fields, integer, nullable, part, ref, string } from '../../../service/describe/define.js';
import { type Memory, table } from '../../world/memory.js';
import { factors } from '../factors/factors.js';
import type { AuthorizationRecord } from './authorizations.js';

const progress = part({
  /** Email address that was typed. */
  email: nullable(string),
  /** Factor being enrolled. It has no owner until its first correct code. */
  newFactorId: nullable(string),
  /** Challenge of the second factor that the page asks for. */
  challengeId: nullable(string),
  /** Second-factor codes tried since the first step was proven. */
  guesses: integer,
});
/** State of an authorization between two pages, apart from its proofs. */
export interface Progress extends Readonly<Fields<typeof progress>> {}

const noProgress: Progress = { email: null, newFactorId: null, challengeId: null, guesses: 0 };

const progresses = table<Progress>('authorization progress', ref<Progress>(progress));

/** Get the progress of an authorization. */
export const progressOf = (memory: Memory, { id }: AuthorizationRecord): Progress =>
  memory.of(progresses).get(id) ?? noProgress;

/** Update the progress of an authorization. Fields left out keep their values. */
export function updateProgress(memory: Memory, authorization: AuthorizationRecord, changes: Partial<Progress>): void {
  memory.of(progresses).set(authorization.id, { ...progressOf(memory, authorization), ...changes });
}

/** Delete the progress of an authorization, and its factor if it was never confirmed. */
export function dropProgressOf(memory: Memory, authorizationId: string): void {
  const newFactorId = memory.of(progresses).get(authorizationId)?.newFactorId;
  if (newFactorId && memory.of(factors).find(newFactorId)?.userId === null) memory.delete(factors, newFactorId);
  memory.of(progresses).delete(authorizationId);
}
