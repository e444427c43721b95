import type { PermissionName } from '../../service/sallyport-types.js';
import type { TokenSession } from '../read/session.js';
import type { TokenResult, TokenSignedOutReason } from '../read/token-verifier.js';
import type { HandleResult, RetryReason, SessionEnd } from '../refresh/results.js';
import { type Address, canonicalPath, foldPath, isOpen, isWithin, segmentsIn } from './paths.js';

// Pure: what a request needs, and whether it has that. Knows no response, and reads nothing from a request but its addresses.

/** A path, and what it requires besides a session. */
export interface PathRule {
  /** Canonical and folded. */
  readonly path: string;
  /** Maximum time since the user authenticated, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
  readonly permission?: PermissionName | undefined;
}

/** What a request needs to pass, besides a session. */
export interface Requirements {
  /** The path of the first rule that applies, for diagnostics. */
  readonly path?: string | undefined;
  readonly maxAgeMs?: number | undefined;
  /** The rules that require a permission. */
  readonly rules?: readonly PathRule[] | undefined;
}

/**
 * Message of the diagnostics channel `sallyport:session:refusal`: middleware or `requireSession` has refused a request.
 */
export interface SessionRefusalRecord {
  /**
   * Reason of the result for the cookie or token. `insufficient_user_authentication`: the user authenticated too long ago. `forbidden`:
   * a permission is missing. `bad_path`: routers could read the path in several ways. `cross_origin`: a page of another origin sent
   * the request.
   */
  readonly reason:
    | SessionEnd
    | TokenSignedOutReason
    | RetryReason
    | 'insufficient_user_authentication'
    | 'forbidden'
    | 'bad_path'
    | 'cross_origin';
  /** First path in the options of the middleware that applies, in lower case, such as `/account`. Never the path of the request. */
  readonly path: string | undefined;
}

/** Whether a request may pass. */
export type Decision =
  | { readonly session: TokenSession; readonly refusal?: undefined }
  | { readonly refusal: SessionRefusalRecord };

/** Decide about a user. */
export function decide(
  result: HandleResult | TokenResult,
  { path, maxAgeMs, rules = [] }: Requirements,
  isRecent: (session: TokenSession, maxAgeMs: number) => boolean,
): Decision {
  const { session } = result;
  if (!session) return { refusal: { reason: result.reason, path } };
  if (maxAgeMs !== undefined && !isRecent(session, maxAgeMs))
    return { refusal: { reason: 'insufficient_user_authentication', path } };
  const unmet = rules.find(({ permission }) => permission !== undefined && !session.has({ permission }));
  return unmet ? { refusal: { reason: 'forbidden', path: unmet.path } } : { session };
}

/**
 * Return what a request needs, by its addresses. Undefined if it needs no session, `bad_path` if routers could read one of its
 * addresses in several ways.
 */
export function requirementsOf(
  addresses: readonly Address[],
  rules: readonly PathRule[],
  openPaths: readonly string[],
): Requirements | 'bad_path' | undefined {
  const applying = rulesFor(addresses, rules, openPaths);
  if (!applying) return 'bad_path';
  const [first] = applying;
  if (!first) return undefined;
  // If several rules apply, the shortest age counts.
  const ages = applying.flatMap(({ maxAgeMs }) => maxAgeMs ?? []);
  return { path: first.path, maxAgeMs: ages.length > 0 ? Math.min(...ages) : undefined, rules: applying };
}

/** An address, and what the options say of it. Depths count segments. */
interface View {
  /** Canonical and folded. */
  readonly path: string;
  /** Where the mount ends: a rule may begin anywhere before. */
  readonly mountDepth: number;
  /** Where the deepest open path ends that names the address; undefined if it is not open. */
  readonly openDepth: number | undefined;
}

/**
 * Find the rules that apply to a request: those that name any of its addresses. If all addresses are open, only rules that go beyond
 * the open path apply. Returns undefined if routers could read one of the addresses in several ways.
 */
function rulesFor(
  addresses: readonly Address[],
  rules: readonly PathRule[],
  openPaths: readonly string[],
): readonly PathRule[] | undefined {
  const views = viewsOf(addresses, openPaths);
  if (!views) return undefined;
  const isOpen = views.every(({ openDepth }) => openDepth !== undefined);
  return rules.filter((rule) =>
    views.some(
      ({ path, mountDepth, openDepth = -1 }) => ruleDepth(path, mountDepth, rule.path) > (isOpen ? openDepth : -1),
    ),
  );
}

function viewsOf(addresses: readonly Address[], openPaths: readonly string[]): readonly View[] | undefined {
  const spellings = new Map<string, string>();
  const views: View[] = [];
  const [first] = addresses;
  for (const address of addresses) {
    const { path = '', mount } = address;
    // Most requests have one address. Looking at it once takes half the time.
    if (address !== first && path === first?.path && mount?.segments === first.mount?.segments) continue;
    const canonical = address.path === undefined ? undefined : canonicalPath(path);
    if (canonical === undefined) return undefined;
    // Some routers decode the path. The first spelling counts, which is the one sent.
    const spelling = spellings.get(canonical) ?? path;
    spellings.set(canonical, spelling);
    const openDepth = openDepthOf({ path: spelling, mount }, openPaths);
    views.push({ path: foldPath(canonical), mountDepth: mountDepthOf(address), openDepth });
  }
  return views;
}

/** Where the mount of an address ends in its canonical path. Routers may skip empty segments, and decode slashes afterwards. */
function mountDepthOf({ path = '', mount }: Address): number {
  if (!mount || mount.kind === 'filter') return 0;
  const parts = path.split('/');
  let end = 1;
  for (let taken = 0; end < parts.length && taken < mount.segments; end++) if (parts[end] !== '') taken++;
  const text = canonicalPath(parts.slice(0, Math.max(end, mount.segments + 1)).join('/'));
  return mount.kind === 'opaque' || text === undefined ? Infinity : segmentsIn(foldPath(text));
}

/** Where a rule ends in a path; -1 if it does not name the path, from the root of the site or below a mount. */
function ruleDepth(path: string, mountDepth: number, rule: string): number {
  const segments = segmentsIn(rule);
  const start = segments === 0 ? '' : rule;
  let found = -1;
  for (let at = 0, depth = 0; at >= 0 && depth <= mountDepth; at = path.indexOf('/', at + 1), depth++)
    if (path.startsWith(start, at) && isWithin(path, rule, at)) found = depth + segments;
  return found;
}

/** Where the deepest open path ends that names an address; undefined if there is none. */
function openDepthOf({ path = '', mount }: Address, openPaths: readonly string[]): number | undefined {
  if (!mount || mount.kind === 'filter') return deepest(openPaths, (open) => isOpen(path, open));
  const { segments, kind } = mount;
  const [, ...parts] = path.split('/');
  if (kind === 'opaque' || !parts.slice(0, segments).every(isPlain)) return undefined;
  const below = `/${parts.slice(segments).join('/')}`;
  // A pattern of Express may take the whole path, so that nothing is left of it.
  const named = openPaths.filter((open) => kind !== 'unknown' || open !== '/');
  const depth = deepest(named, (open) => isOpen(below, open));
  if (depth !== undefined) return segments + depth;
  // The sender may choose a mount that is called like an open page. The page is what is below the mount.
  if (kind === 'pattern') return undefined;
  const isHome = kind === 'fixed' && isOpen(below, '/');
  return deepest(openPaths, (open) => isOpen(path, open) && (isHome || segmentsIn(open) > segments));
}

/** Whether every router takes a text for one whole segment. Some drop it, divide it, or cut it at a `#` or a semicolon. */
function isPlain(segment: string): boolean {
  const plain = canonicalPath(`/${segment}`) ?? '';
  return segmentsIn(plain) === 1 && canonicalPath(`/${segment}-`) === `${plain}-`;
}

/** The number of segments of the deepest open path that fulfills a condition. */
function deepest(openPaths: readonly string[], fulfills: (open: string) => boolean): number | undefined {
  const depths = openPaths.filter(fulfills).map(segmentsIn);
  return depths.length > 0 ? Math.max(...depths) : undefined;
}
