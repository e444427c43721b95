import type { Answer } from '../server/answer.js';
import { authorizationCodes } from '../sign-in/authorization-codes.js';
import type { AuthorizationRecord } from '../sign-in/authorizations.js';
import { factors } from '../sign-in/factors.js';
import { slot, type World } from '../world/world.js';

/** What the pages know of an authorization, beyond what has been proven. */
export interface Progress {
  /** Address that was typed. */
  readonly email: string | null;
  /** Factor that is being enrolled; nobody's until its first code is right. */
  readonly newFactorId: string | null;
  /** Second factor that is asked for. */
  readonly challengeId: string | null;
  /** Codes of second factors that were tried, until the first step has to be proven again. */
  readonly guesses: number;
}

/** How an authorization ended. */
export interface Ending {
  readonly answer: Answer;
  /** Where the user came from. */
  readonly redirectUri: string;
  /** The browser that it is for. */
  readonly visitorId: string;
}

const noProgress: Progress = { email: null, newFactorId: null, challengeId: null, guesses: 0 };

/** Authorizations whose end is remembered; beyond it the oldest are forgotten. */
const mostEndings = 1000;

const progresses = slot(() => new Map<string, Progress>());
const endings = slot(() => new Map<string, Ending>());

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
  for (const oldest of all.keys()) {
    if (all.size < mostEndings) break;
    all.delete(oldest);
  }
  all.set(token, { answer, redirectUri, visitorId });
  return answer;
}

/** How the authorization ended that had this token. */
export const endingOf = (world: World, token: string): Ending | undefined => world.of(endings).get(token);

/** Whether going the same way again does no harm: a code in it has not been redeemed, nor run out. */
export function isRepeatable(world: World, { answer }: Ending): boolean {
  const location = answer.headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined) return false;
  const code = new URL(location).searchParams.get('code');
  const record = code === null ? undefined : world.of(authorizationCodes).by('code', code);
  return code === null || (record !== undefined && record.usedAt === null && !world.isPast(record.expiresAt));
}
