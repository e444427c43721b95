import { type Fields, integer, nullable, part, ref, string, url } from '../../service/describe/define.js';
import { Answer, pairsOfTexts } from '../server/answer.js';
import { authorizationCodes } from '../sign-in/authorization-codes.js';
import type { AuthorizationRecord } from '../sign-in/authorizations.js';
import { factors } from '../sign-in/factors.js';
import { table, type World } from '../world/world.js';

const progress = part({
  /** Address that was typed. */
  email: nullable(string),
  /** Factor that is being enrolled; nobody's until its first code is right. */
  newFactorId: nullable(string),
  /** Second factor that is asked for. */
  challengeId: nullable(string),
  /** Codes of second factors that were tried, until the first step has to be proven again. */
  guesses: integer,
});
/** What the pages know of an authorization, beyond what has been proven. */
export interface Progress extends Readonly<Fields<typeof progress>> {}

const storedEnding = part({
  status: integer,
  headers: pairsOfTexts,
  /** Text of the page; null where there is none. */
  page: nullable(string),
  /** Where the user came from. */
  redirectUri: url,
  /** The browser that it is for. */
  visitorId: string,
});
/** How an authorization ended, as the emulator stores it. */
interface EndingRecord extends Readonly<Fields<typeof storedEnding>> {}

/** How an authorization ended. */
export interface Ending extends Pick<EndingRecord, 'redirectUri' | 'visitorId'> {
  readonly answer: Answer;
}

const noProgress: Progress = { email: null, newFactorId: null, challengeId: null, guesses: 0 };

/** Authorizations whose end is remembered; beyond it the oldest are forgotten. */
const mostEndings = 1000;

const progresses = table<Progress>('authorization progress', ref<Progress>(progress));
const endings = table<EndingRecord>('authorization ending', ref<EndingRecord>(storedEnding));

/** How far the pages have come. */
export const progressOf = (world: World, { id }: AuthorizationRecord): Progress =>
  world.of(progresses).get(id) ?? noProgress;

/** Note how far the pages have come; what is left out stays. */
export function note(world: World, authorization: AuthorizationRecord, changes: Partial<Progress>): void {
  world.of(progresses).set(authorization.id, { ...progressOf(world, authorization), ...changes });
}

/** What goes with an authorization: its progress, and a factor that was never confirmed. */
export function dropProgressOf(world: World, authorizationId: string): void {
  const newFactorId = world.of(progresses).get(authorizationId)?.newFactorId;
  if (newFactorId && world.of(factors).find(newFactorId)?.userId === null) world.of(factors).delete(newFactorId);
  world.of(progresses).delete(authorizationId);
}

/** Note how an authorization ended: whoever pressed the button twice is sent the same way. */
export function noteEnding(
  world: World,
  { token, redirectUri, visitorId }: AuthorizationRecord,
  answer: Answer,
): Answer {
  const all = world.of(endings);
  for (let { first } = all; first && all.size >= mostEndings; { first } = all) all.delete(first[0]);
  const { status, headers, body } = answer;
  // It ends with a page or sends the browser back; neither has bytes.
  all.set(token, { status, headers, page: typeof body === 'string' ? body : null, redirectUri, visitorId });
  return answer;
}

/** How the authorization ended that had this token. */
export function endingOf(world: World, token: string): Ending | undefined {
  const ending = world.of(endings).get(token);
  return ending && { ...ending, answer: new Answer(ending.status, ending.page, ending.headers) };
}

/** Whether going the same way again does no harm: a code in it has not been redeemed, nor run out. */
export function isRepeatable(world: World, { answer }: Ending): boolean {
  const location = answer.headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined) return false;
  const code = new URL(location).searchParams.get('code');
  const record = code === null ? undefined : world.of(authorizationCodes).by('code', code);
  return code === null || (record !== undefined && record.usedAt === null && !world.isPast(record.expiresAt));
}
