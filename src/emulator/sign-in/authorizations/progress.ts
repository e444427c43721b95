import { type Fields, integer, nullable, part, ref, string, url } from '../../../service/describe/define.js';
import { Answer, pairsOfTexts } from '../../http/answer.js';
import { type Memory, table } from '../../world/memory.js';
import { factors } from '../factors/factors.js';
import { authorizationCodes } from './authorization-codes.js';
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
/** Page state of an authorization, apart from its proofs. */
export interface Progress extends Readonly<Fields<typeof progress>> {}

const storedEnding = part({
  status: integer,
  headers: pairsOfTexts,
  /** Text of the page; null for a redirect. */
  page: nullable(string),
  /** Redirect URI of the application. */
  redirectUri: url,
  /** Browser that started the authorization. */
  visitorId: string,
});
/** How an authorization ended, as the emulator stores it. */
interface EndingRecord extends Readonly<Fields<typeof storedEnding>> {}

/** How an authorization ended. */
interface Ending extends Pick<EndingRecord, 'redirectUri' | 'visitorId'> {
  readonly answer: Answer;
}

const noProgress: Progress = { email: null, newFactorId: null, challengeId: null, guesses: 0 };

/** Maximum number of stored endings. The oldest are dropped first. */
const maxEndings = 1000;

const progresses = table<Progress>('authorization progress', ref<Progress>(progress));
const endings = table<EndingRecord>('authorization ending', ref<EndingRecord>(storedEnding));

/** Get the page state of an authorization. */
export const progressOf = (memory: Memory, { id }: AuthorizationRecord): Progress =>
  memory.of(progresses).get(id) ?? noProgress;

/** Update the page state of an authorization. Fields left out keep their values. */
export function updateProgress(memory: Memory, authorization: AuthorizationRecord, changes: Partial<Progress>): void {
  memory.of(progresses).set(authorization.id, { ...progressOf(memory, authorization), ...changes });
}

/** Delete the page state of an authorization, and its factor if it was never confirmed. */
export function dropProgressOf(memory: Memory, authorizationId: string): void {
  const newFactorId = memory.of(progresses).get(authorizationId)?.newFactorId;
  if (newFactorId && memory.of(factors).find(newFactorId)?.userId === null) memory.delete(factors, newFactorId);
  memory.of(progresses).delete(authorizationId);
}

/** Record how an authorization ended, so that a second press of the button gets the same response. */
export function recordEnding(
  memory: Memory,
  { token, redirectUri, visitorId }: AuthorizationRecord,
  answer: Answer,
): Answer {
  const all = memory.of(endings);
  for (let { first } = all; first && all.size >= maxEndings; { first } = all) all.delete(first[0]);
  const { status, headers, body } = answer;
  // An ending is a page or a redirect, so the body is never bytes.
  all.set(token, { status, headers, page: typeof body === 'string' ? body : null, redirectUri, visitorId });
  return answer;
}

/** Find the ending of the authorization with this token. */
export function endingOf(memory: Memory, token: string): Ending | undefined {
  const ending = memory.of(endings).get(token);
  return ending && { ...ending, answer: new Answer(ending.status, ending.page, ending.headers) };
}

/**
 * Check whether an ending can be sent again. It must be a redirect, and its code, if any, must be neither redeemed nor expired.
 */
export function isRepeatable(memory: Memory, { answer }: Ending): boolean {
  const location = answer.headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined) return false;
  const code = new URL(location).searchParams.get('code');
  const record = code === null ? undefined : memory.of(authorizationCodes).by('code', code);
  return code === null || (record !== undefined && record.usedAt === null && !memory.isPast(record.expiresAt));
}
