import type { AccessTokenClaims } from '../../crypto/access-token.js';
import { type IssuedClaims, isOlder } from '../../crypto/token-order.js';
import type { RevokedResult } from '../../session/read/revocations.js';
import type { Revocation } from './revocation-of.js';

/** Maximum number of remembered sessions with a token that was issued in the same second as a revocation. */
const maxAmbiguous = 10_000;
/** Share of the entries that is dropped if the list is full, oldest first. */
const dropShare = 0.1;

/** Recent revocations, which can be looked up by the claims of a token. All operations are synchronous. */
export class DenyList {
  /** Revocations of each kind, by what claims name: an id, or an id in an organization. */
  readonly #revocations = {
    session: new Map<string, Revocation>(),
    user: new Map<string, Revocation>(),
    organization: new Map<string, Revocation>(),
    permission: new Map<string, Revocation>(),
    member: new Map<string, Revocation>(),
    role: new Map<string, Revocation>(),
    switch: new Map<string, Revocation>(),
  } satisfies Record<Revocation['kind'], unknown>;
  /** For each session, the first token that was issued in the same second as a revocation and treated as outdated. */
  readonly #ambiguous = new Map<string, { readonly at: number; readonly token: unknown }>();
  readonly #maxEntries: number;
  /** Number of entries dropped early because the list was full. */
  dropped = 0;
  /** Increases with each new revocation. Until it changes, a session that `find` did not report stays valid. */
  version = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Number of entries. */
  get size(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0);
  }

  get #all(): readonly Map<string, Revocation>[] {
    return Object.values(this.#revocations);
  }

  /** Add a revocation. */
  add(revocation: Revocation): void {
    const { kind, id, within, at } = revocation;
    const known = this.#revocations[kind];
    // A session has one newest token, even after several switches between organizations.
    const key = kind === 'switch' ? id : keyOf(id, within);
    const before = known.get(key);
    if (before && (before.at > at || (before.at === at && before.within === within))) return;
    this.version += 1;
    known.set(key, revocation);
    if (this.size > this.#maxEntries) this.#shrink();
  }

  /** List all revocations. */
  *entries(): Generator<Revocation> {
    for (const known of this.#all) yield* known.values();
  }

  /** Look up a session. Returns undefined if it is not revoked. */
  find<Session extends { readonly claims: AccessTokenClaims }>(
    session: Session | null,
  ): RevokedResult<Session> | undefined {
    if (session === null) return undefined;
    const { claims } = session;
    if (this.#revocations.session.has(claims.sid))
      return { status: 'signed_out', session: null, reason: 'session_revoked' };
    if (this.#revocations.user.has(claims.sub)) return { status: 'signed_out', session: null, reason: 'user_deleted' };
    return this.#isOutdated(claims) ? { status: 'expired', session } : undefined;
  }

  /** Whether a token is older than the last switch of its session to another organization. */
  isReplaced(claims: IssuedClaims): boolean {
    const newest = this.#revocations.switch.get(claims.sid);
    if (!newest) return false;
    const [jti, org_id] = JSON.parse(newest.within).map((one: unknown) => one ?? undefined);
    return isOlder(claims, { iat: newest.at / 1_000, jti, org_id });
  }

  #isOutdated(claims: AccessTokenClaims): boolean {
    const { iat, sid, jti } = claims;
    const at = this.#outdatedAt(claims);
    if (at === undefined || typeof iat !== 'number' || iat > Math.floor(at / 1_000)) return false;
    if (iat < Math.floor(at / 1_000)) return true;
    // `iat` has whole seconds, so this token may be older or newer than the event. Only the first such token of a session is
    // treated as outdated: treating its replacement as outdated too would refresh it repeatedly within this second.
    const first = this.#ambiguous.get(sid);
    if (first?.at === at) return jti !== undefined && first.token === jti;
    this.#ambiguous.set(sid, { at, token: jti });
    if (this.#ambiguous.size > maxAmbiguous)
      for (const oldest of this.#ambiguous.keys()) return this.#ambiguous.delete(oldest);
    return true;
  }

  /** Time of the last event that makes tokens with these claims outdated. */
  #outdatedAt({ sub, org_id, role, roles, permissions }: AccessTokenClaims): number | undefined {
    const { member, organization, permission, role: byRole } = this.#revocations;
    const found: (Revocation | undefined)[] = [];
    if (typeof org_id === 'string') found.push(member.get(keyOf(sub, org_id)), organization.get(org_id));
    if (byRole.size > 0)
      for (const one of stringsIn(Array.isArray(roles) ? roles : [role])) {
        found.push(byRole.get(one));
        if (typeof org_id === 'string') found.push(byRole.get(keyOf(one, org_id)));
      }
    if (permission.size > 0) found.push(...stringsIn(permissions).map((one) => permission.get(one)));
    return found.reduce<number | undefined>(
      (latest, one) => (one && !(latest && latest >= one.at) ? one.at : latest),
      undefined,
    );
  }

  /** Drop revocations before a time. All tokens from before it have expired. */
  dropBefore(time: number): void {
    for (const known of this.#all) for (const [key, { at }] of known) if (at < time) known.delete(key);
    for (const [sid, { at }] of this.#ambiguous) if (at < time) this.#ambiguous.delete(sid);
  }

  /** Drop the oldest entries. Among entries of the same time, those added first are dropped. */
  #shrink(): void {
    // A typed array sorts much faster, and sorting blocks the event loop.
    const sorted = new Float64Array(Array.from(this.entries(), ({ at }) => at)).sort();
    let left = Math.ceil(sorted.length * dropShare);
    const latest = sorted[left - 1] ?? 0;
    this.dropped += left;
    this.dropBefore(latest);
    left -= sorted.length - this.size;
    for (const known of this.#all)
      for (const [key, { at }] of known)
        if (left > 0 && at === latest) {
          known.delete(key);
          left -= 1;
        }
  }
}

/** The key of a revocation within an organization. A space occurs neither in ids nor in slugs. */
const keyOf = (id: string, within: string): string => (within ? `${id} ${within}` : id);

const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
