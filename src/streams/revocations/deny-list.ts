import type { AccessTokenClaims } from '../../crypto/access-token.js';
import { type IssuedClaims, isOlder } from '../../crypto/token-order.js';
import type { RevokedResult } from '../../session/read/revocations.js';
import type { Revocation } from './revocation-of.js';

/** Revocation times by id, and then by organization. */
type Times = Map<string, Map<string, number>>;

/** Maximum number of remembered sessions with a token that was issued in the same second as a revocation. */
const maxAmbiguous = 10_000;
/** Share of the entries that is dropped if the list is full, oldest first. */
const dropShare = 0.1;

/** Recent revocations, which can be looked up by the claims of a token. All operations are synchronous. */
export class DenyList {
  readonly #sessions = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #members: Times = new Map();
  readonly #organizations = new Map<string, number>();
  readonly #roles: Times = new Map();
  readonly #permissions = new Map<string, number>();
  /** By session, and then by the new token. */
  readonly #switches: Times = new Map();
  /** For each session, the first token that was issued in the same second as a revocation and treated as outdated. */
  readonly #ambiguous = new Map<string, { readonly at: number; readonly token: unknown }>();
  readonly #maxEntries: number;
  #size = 0;
  #dropped = 0;
  #version = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Number of entries. */
  get size(): number {
    return this.#size;
  }

  /** Number of entries dropped early because the list was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Increases with each new revocation. Until it changes, a session that `find` did not report stays valid. */
  get version(): number {
    return this.#version;
  }

  /** Add a revocation. */
  add({ kind, id, within, at }: Revocation): void {
    const times = this.#timesOf(kind, id);
    const key = kind === 'member' || kind === 'role' || kind === 'switch' ? within : id;
    const before = times.get(key);
    if (before !== undefined && before >= at) return;
    // Only the newest token of a session counts.
    if (kind === 'switch') {
      if ([...times.values()].some((other) => other > at)) return;
      this.#size -= times.size;
      times.clear();
    }
    this.#version += 1;
    if (!times.has(key)) this.#size += 1;
    times.set(key, at);
    if (this.#size > this.#maxEntries) this.#shrink();
  }

  /** List all revocations. */
  *entries(): Generator<Revocation> {
    const plain = {
      session: this.#sessions,
      user: this.#users,
      organization: this.#organizations,
      permission: this.#permissions,
    };
    for (const kind of ['session', 'user', 'organization', 'permission'] as const)
      for (const [id, at] of plain[kind]) yield { kind, id, within: '', at };
    const nested = { member: this.#members, role: this.#roles, switch: this.#switches };
    for (const kind of ['member', 'role', 'switch'] as const)
      for (const [id, times] of nested[kind]) for (const [within, at] of times) yield { kind, id, within, at };
  }

  #timesOf(kind: Revocation['kind'], id: string): Map<string, number> {
    if (kind === 'session') return this.#sessions;
    if (kind === 'user') return this.#users;
    if (kind === 'organization') return this.#organizations;
    if (kind === 'permission') return this.#permissions;
    const all = kind === 'member' ? this.#members : kind === 'role' ? this.#roles : this.#switches;
    const times = all.get(id) ?? new Map<string, number>();
    all.set(id, times);
    return times;
  }

  /** Look up a session. Returns undefined if it is not revoked. */
  find<Session extends { readonly claims: AccessTokenClaims }>(
    session: Session | null,
  ): RevokedResult<Session> | undefined {
    if (session === null || this.#size === 0) return undefined;
    const { claims } = session;
    if (this.#sessions.has(claims.sid)) return { status: 'signed_out', session: null, reason: 'session_revoked' };
    if (this.#users.has(claims.sub)) return { status: 'signed_out', session: null, reason: 'user_deleted' };
    return this.#isOutdated(claims) ? { status: 'expired', session } : undefined;
  }

  /** Whether a token is older than the last switch of its session to another organization. */
  isReplaced(claims: IssuedClaims): boolean {
    for (const [token, at] of this.#switches.get(claims.sid) ?? []) {
      const [jti, org_id] = JSON.parse(token).map((one: unknown) => one ?? undefined);
      if (isOlder(claims, { iat: at / 1_000, jti, org_id })) return true;
    }
    return false;
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
    let latest: number | undefined;
    const consider = (at: number | undefined): void => {
      if (at !== undefined && !(latest !== undefined && latest >= at)) latest = at;
    };
    if (typeof org_id === 'string') {
      consider(this.#members.get(sub)?.get(org_id));
      consider(this.#organizations.get(org_id));
    }
    if (this.#roles.size > 0)
      for (const one of stringsIn(Array.isArray(roles) ? roles : [role])) {
        const times = this.#roles.get(one);
        consider(times?.get(''));
        if (typeof org_id === 'string') consider(times?.get(org_id));
      }
    if (this.#permissions.size > 0) for (const one of stringsIn(permissions)) consider(this.#permissions.get(one));
    return latest;
  }

  /** Drop revocations before a time. All tokens from before it have expired. */
  dropBefore(time: number): void {
    for (const times of [this.#sessions, this.#users, this.#organizations, this.#permissions]) this.#sweep(times, time);
    for (const all of [this.#members, this.#roles, this.#switches])
      for (const [id, times] of all) {
        this.#sweep(times, time);
        if (times.size === 0) all.delete(id);
      }
    for (const [sid, { at }] of this.#ambiguous) if (at < time) this.#ambiguous.delete(sid);
  }

  #sweep(times: Map<string, number>, time: number): void {
    for (const [key, at] of times)
      if (at < time) {
        times.delete(key);
        this.#size -= 1;
      }
  }

  /** Drop the oldest entries. Among entries of the same time, those added first are dropped. */
  #shrink(): void {
    const maps = [this.#sessions, this.#users, this.#organizations, this.#permissions];
    const all = [...maps, ...this.#members.values(), ...this.#roles.values(), ...this.#switches.values()];
    // A typed array sorts much faster, and sorting blocks the event loop.
    const sorted = new Float64Array(all.flatMap((times) => [...times.values()])).sort();
    let left = Math.ceil(sorted.length * dropShare);
    const latest = sorted[left - 1] ?? 0;
    this.#dropped += left;
    const before = this.#size;
    this.dropBefore(latest);
    left -= before - this.#size;
    for (const times of all)
      for (const [key, at] of times)
        if (left > 0 && at === latest) {
          times.delete(key);
          this.#size -= 1;
          left -= 1;
        }
  }
}

const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
