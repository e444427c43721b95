import type { PasswordlessSession, PasswordlessSessionCreate } from '../../service/passwordless.js';
import { badRequest } from '../errors.js';
import type { Given } from '../given.js';
import { collection, type World } from '../world.js';

/** A magic link as it is kept. */
export interface PasswordlessSessionRecord {
  readonly id: string;
  readonly email: string;
  /** What the link is recognized by. */
  readonly token: string;
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly expiresAt: string;
}

/** The magic links. */
export const passwordlessSessions = collection<PasswordlessSessionRecord>({
  object: 'passwordless session',
  prefix: 'passwordless_session',
  unique: ['token'],
});

/** What following a magic link gives, to be exchanged for a profile once. */
export interface PasswordlessCodeRecord {
  readonly id: string;
  readonly code: string;
  readonly email: string;
  readonly redirectUri: string | null;
  readonly expiresAt: string;
}

/** The codes that have not been exchanged. */
export const passwordlessCodes = collection<PasswordlessCodeRecord>({
  object: 'passwordless code',
  prefix: 'passwordless_code',
  unique: ['code'],
});

const defaultSeconds = 900;
const codeLifetimeMs = 10 * 60_000;

/** A magic link as it is shown. */
export const shownSession = (
  world: World,
  { id, email, expiresAt, token }: PasswordlessSessionRecord,
): Given<PasswordlessSession> => ({ id, email, expiresAt, link: linkOf(world, token) });

const linkOf = (world: World, token: string): string => world.url(`/passwordless/${token}/confirm`);

/** Makes a magic link; nothing is mailed. */
export function createPasswordlessSession(
  world: World,
  { email, redirectURI, expiresIn = defaultSeconds, state }: PasswordlessSessionCreate,
): PasswordlessSessionRecord {
  return world.of(passwordlessSessions).insert({
    email,
    token: world.ids.token(32),
    redirectUri: redirectURI ?? null,
    state: state ?? null,
    expiresAt: world.fromNow(expiresIn * 1000),
  });
}

/** Mails a magic link. @throws {Refusal} 404; 400 when it has expired. */
export function sendPasswordlessSession(world: World, id: string): void {
  const { email, token, expiresAt } = world.of(passwordlessSessions).get(id);
  if (world.isPast(expiresAt))
    throw badRequest('passwordless_session_expired', 'This magic link has expired. Create a new session');
  const url = linkOf(world, token);
  world.mail({
    kind: 'passwordless_session',
    to: email,
    subject: 'Your sign-in link',
    text: `Sign in at ${url} by ${expiresAt}.`,
    token,
    url,
  });
}

/** Makes the code that somebody who follows a magic link arrives with. */
export const issuePasswordlessCode = (
  world: World,
  { email, redirectUri }: PasswordlessSessionRecord,
): PasswordlessCodeRecord =>
  world.of(passwordlessCodes).insert({
    code: world.ids.token(26),
    email,
    redirectUri,
    expiresAt: world.fromNow(codeLifetimeMs),
  });
