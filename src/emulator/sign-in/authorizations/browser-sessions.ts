import { array, number, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { cookiesOf } from '../../http/visitor.js';
import { membershipOf } from '../../rooms/memberships/records.js';
import { users } from '../../rooms/users/records.js';
import { emailKeyOf } from '../../store/email-key.js';
import type { Stored } from '../../store/view.js';
import { dropExpired } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { authorizationCodes } from '../codes/authorization-codes.js';
import { inOrganization, signInRecord } from '../proof/sign-in.js';
import { type SessionRecord, sessions } from '../sessions/sessions.js';

const rememberedSignIn = part({ ...signInRecord.shape, authenticatedAt: number });

const hostedSessionRecord = part({
  id: string,
  /** Value of the browser's cookie. */
  token: string,
  /** What the user proved; it is reused for the next authorization. */
  signIn: ref<Stored<typeof rememberedSignIn>>(rememberedSignIn),
  /** Codes issued to this browser. If a session created with one of them is revoked, the browser's session ends too. */
  codeIds: array(string),
  expiresAt: timestamp,
});
/** A browser that remembers a user who signed in on the hosted pages. */
interface HostedSessionRecord extends Stored<typeof hostedSessionRecord> {}

/** Remembered browsers. */
export const hostedSessions = collection<HostedSessionRecord>({
  object: 'hosted session',
  prefix: 'hosted_session',
  unique: ['token'],
  publicToken: 'token',
  index: ['codeIds'],
  record: ref(hostedSessionRecord),
});

/** Get the name of the cookie on the emulator's origin. Applications never see this cookie. */
const cookieNameOf = ({ main }: Memory): string => `sallyport-emulator-browser${main ? '-production' : ''}`;
const attributes = 'Path=/; HttpOnly; SameSite=Lax';

/** Remember a browser that returns to the application with a code. Returns the header that sets its cookie. */
export function rememberBrowser(
  memory: Memory,
  signIn: HostedSessionRecord['signIn'],
  code: string,
): Readonly<Record<string, string>> {
  dropExpired(memory, hostedSessions);
  const all = memory.of(hostedSessions);
  const { token } = all.insert({
    token: memory.ids.token(32),
    signIn,
    codeIds: idsOf(memory, code),
    expiresAt: memory.fromNow(memory.settings.refreshTokenLifetimeMs),
  });
  return { 'set-cookie': `${cookieNameOf(memory)}=${token}; ${attributes}` };
}

/** Record another code issued to a remembered browser. */
export function recordCode(memory: Memory, { id, codeIds }: HostedSessionRecord, code: string): void {
  memory.of(hostedSessions).update(id, { codeIds: [...codeIds, ...idsOf(memory, code)] });
}

const idsOf = (memory: Memory, code: string): readonly string[] => {
  const id = memory.of(authorizationCodes).by('code', code)?.id;
  return id === undefined ? [] : [id];
};

/** Conditions of an authorization URL for reusing the browser's session. */
interface Resumption {
  readonly prompt: string | null;
  readonly maxAge: number | null;
  readonly loginHint: string | null;
  readonly clientId: string;
  /** Organization of the new session; null for the organization of the browser's session. */
  readonly organizationId: string | null;
}

/**
 * Find the browser's session that an authorization may reuse. Returns undefined if the session is too old or belongs to another
 * user.
 */
export function resumableSession(
  memory: Memory,
  request: Request,
  { prompt, maxAge, loginHint, clientId, organizationId: requested }: Resumption,
): HostedSessionRecord | undefined {
  const session = hostedSessionOf(memory, request);
  // An age of 0 means the same as `login` (OpenID Connect Core, section 3.1.2.1).
  if (!session || session.signIn.clientId !== clientId || prompt === 'login' || maxAge === 0) return undefined;
  const ageMs = memory.clock.now() - session.signIn.authenticatedAt;
  // If the clock was set back, the sign-in may be in the future. It then does not count as recent.
  if (maxAge !== null && (ageMs < 0 || ageMs > maxAge * 1_000)) return undefined;
  const { userId, organizationId } = inOrganization({ organizationId: requested }, session.signIn);
  const user = memory.of(users).find(userId);
  if (!user || (loginHint !== null && emailKeyOf(loginHint) !== user.emailKey)) return undefined;
  if (organizationId !== null && membershipOf(memory, userId, organizationId)?.status !== 'active') return undefined;
  return session;
}

/** Find the active session of the browser by its cookie. */
function hostedSessionOf(memory: Memory, request: Request): HostedSessionRecord | undefined {
  const token = cookieOf(memory, request);
  const session = token === undefined ? undefined : memory.of(hostedSessions).by('token', token);
  if (!session || memory.isPast(session.expiresAt)) return undefined;
  const isRevoked = session.codeIds
    .flatMap((codeId) => memory.of(sessions).where('codeId', codeId).values())
    .some(({ status }) => status === 'revoked');
  return isRevoked ? undefined : session;
}

/**
 * End the browser sessions that a session was created from, and this browser's session if it belongs to the same user. Returns
 * the header that deletes the cookie, or no header if the browser remembers another user.
 */
export function forgetBrowser(
  memory: Memory,
  request: Request,
  { codeId, userId }: SessionRecord,
): Readonly<Record<string, string>> {
  const all = memory.of(hostedSessions);
  const token = cookieOf(memory, request);
  const current = token === undefined ? undefined : all.by('token', token);
  const origins = codeId === null ? [] : all.where('codeIds', codeId).values();
  for (const { id } of new Set(current?.signIn.userId === userId ? [current, ...origins] : origins))
    memory.delete(hostedSessions, id);
  return current && current.signIn.userId !== userId
    ? {}
    : { 'set-cookie': `${cookieNameOf(memory)}=; ${attributes}; Max-Age=0` };
}

const cookieOf = (memory: Memory, request: Request): string | undefined =>
  cookiesOf(request).find(([name]) => name === cookieNameOf(memory))?.[1];
