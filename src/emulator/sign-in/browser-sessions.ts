import { array, number, part, ref, string, timestamp } from '../../service/describe/define.js';
import { membershipOf } from '../rooms/memberships/records.js';
import { users } from '../rooms/users/records.js';
import { cookiesOf } from '../server/visitor.js';
import { emailKeyOf } from '../world/email-key.js';
import { dropExpired } from '../world/expired.js';
import { collection, type World } from '../world/world.js';
import { authorizationCodes } from './authorization-codes.js';
import { type SessionRecord, sessions } from './sessions.js';
import { inOrganization, type SignIn, signInRecord } from './sign-in.js';

/** A browser in which somebody has signed in at the hosted pages. */
export interface HostedSessionRecord {
  readonly id: string;
  /** What the browser shows. */
  readonly token: string;
  /** What was proven; sending the user back again takes no more. */
  readonly signIn: SignIn & { readonly authenticatedAt: number };
  /** The codes it was sent back with: where a session that one of them made is revoked, the browser's ends too. */
  readonly codeIds: readonly string[];
  readonly expiresAt: string;
}

/** The browsers that are remembered. */
export const hostedSessions = collection<HostedSessionRecord>({
  object: 'hosted session',
  prefix: 'hosted_session',
  unique: ['token'],
  index: ['codeIds'],
  record: ref<HostedSessionRecord>(
    part({
      id: string,
      token: string,
      signIn: ref<HostedSessionRecord['signIn']>(part({ ...signInRecord.shape, authenticatedAt: number })),
      codeIds: array(string),
      expiresAt: timestamp,
    }),
  ),
});

/** The cookie on the emulator's own origin; applications have nothing to do with it. */
const cookieNameOf = ({ main }: World): string => `sallyport-emulator-browser${main ? '-production' : ''}`;
const attributes = 'Path=/; HttpOnly; SameSite=Lax';

/** Remember a browser that is sent back with a code; return the header that sets its cookie. */
export function rememberBrowser(
  world: World,
  signIn: HostedSessionRecord['signIn'],
  code: string,
): Readonly<Record<string, string>> {
  const all = world.of(hostedSessions);
  dropExpired(world, all);
  const { token } = all.insert({
    token: world.ids.token(32),
    signIn,
    codeIds: idsOf(world, code),
    expiresAt: world.fromNow(world.settings.refreshTokenSeconds * 1_000),
  });
  return { 'set-cookie': `${cookieNameOf(world)}=${token}; ${attributes}` };
}

/** Note that a remembered browser was sent back with another code. */
export function noteReturn(world: World, { id, codeIds }: HostedSessionRecord, code: string): void {
  world.of(hostedSessions).update(id, { codeIds: [...codeIds, ...idsOf(world, code)] });
}

const idsOf = (world: World, code: string): readonly string[] => {
  const id = world.of(authorizationCodes).by('code', code)?.id;
  return id === undefined ? [] : [id];
};

/** What an authorization URL says about taking up the browser's session. */
export interface Resumption {
  readonly prompt: string | null;
  readonly maxAge: number | null;
  readonly loginHint: string | null;
  readonly clientId: string;
  /** Organization that the user is to be in; null for the one of the browser's session. */
  readonly organizationId: string | null;
}

/** The running session of a browser whose user need not sign in again. Undefined if it is too old or another user's. */
export function resumableSession(
  world: World,
  request: Request,
  { prompt, maxAge, loginHint, clientId, organizationId: named }: Resumption,
): HostedSessionRecord | undefined {
  const session = hostedSessionOf(world, request);
  // OpenID Connect Core, section 3.1.2.1: an age of 0 means the same as `login`.
  if (!session || session.signIn.clientId !== clientId || prompt === 'login' || maxAge === 0) return undefined;
  const ageMs = world.clock.now() - session.signIn.authenticatedAt;
  // The clock may have been set back: a sign-in in the future is not recent.
  if (maxAge !== null && (ageMs < 0 || ageMs > maxAge * 1_000)) return undefined;
  const { userId, organizationId } = inOrganization({ organizationId: named }, session.signIn);
  const user = world.of(users).find(userId);
  if (!user || (loginHint !== null && emailKeyOf(loginHint) !== user.emailKey)) return undefined;
  if (organizationId !== null && membershipOf(world, userId, organizationId)?.status !== 'active') return undefined;
  return session;
}

/** The session that a browser names by its cookie, while it runs. */
export function hostedSessionOf(world: World, request: Request): HostedSessionRecord | undefined {
  const token = cookieOf(world, request);
  const session = token === undefined ? undefined : world.of(hostedSessions).by('token', token);
  if (!session || world.isPast(session.expiresAt)) return undefined;
  const isRevoked = session.codeIds
    .flatMap((codeId) => world.of(sessions).where('codeId', codeId).values())
    .some(({ status }) => status === 'revoked');
  return isRevoked ? undefined : session;
}

/**
 * End the browsers' sessions out of which a session was made, and that of this browser when it is the same user's; give
 * the header that makes the browser forget, unless it remembers somebody else.
 */
export function forgetBrowser(
  world: World,
  request: Request,
  { codeId, userId }: SessionRecord,
): Readonly<Record<string, string>> {
  const all = world.of(hostedSessions);
  const token = cookieOf(world, request);
  const own = token === undefined ? undefined : all.by('token', token);
  const origins = codeId === null ? [] : all.where('codeIds', codeId).values();
  for (const { id } of new Set(own?.signIn.userId === userId ? [own, ...origins] : origins)) all.delete(id);
  return own && own.signIn.userId !== userId
    ? {}
    : { 'set-cookie': `${cookieNameOf(world)}=; ${attributes}; Max-Age=0` };
}

const cookieOf = (world: World, request: Request): string | undefined =>
  cookiesOf(request).find(([name]) => name === cookieNameOf(world))?.[1];
