import type { RoutedRequest } from '../request/request.js';
import { canonicalPath, foldPath, isOpen, isWithin, targetPath } from './paths.js';

/** The first segments of a path, which a router has matched before it passed the request to another one. */
export interface Mount {
  /** Number of segments. */
  readonly segments: number;
  /**
   * What is known of the mount, which decides the names of open paths.
   *
   * - `fixed`: text of the application, such as `/en`
   * - `pattern`: has parameters such as `/:locale`, which the sender chooses
   * - `unknown`: the router does not tell which of the two it is
   * - `filter`: a pattern for the whole path, such as `*`. The routes are not below it
   * - `opaque`: a pattern that may match any number of segments
   */
  readonly kind: 'fixed' | 'pattern' | 'unknown' | 'filter' | 'opaque';
}

/** A path of a request: as sent, or as the router matches it. */
export interface Address {
  /** Undecoded, from the root of the site. Undefined if the request target has no path. */
  readonly path: string | undefined;
  readonly mount?: Mount | undefined;
}

/** A path with requirements. */
export interface PathRule {
  /** Canonical and folded. */
  readonly path: string;
}

/** Describe a mount by its pattern, as routers write it. */
export function mountOf(pattern: string): Mount | undefined {
  const segments = segmentsIn(pattern);
  // An expression that takes any character may match a slash.
  const isOpaque = /[*?+]|[({][^)}]*[({./\\[]/.test(pattern);
  const kind = isOpaque ? 'opaque' : pattern.includes(':') ? 'pattern' : 'fixed';
  return segments === 0 ? undefined : { segments, kind };
}

const segmentsIn = (path: string): number => path.split('/').filter(Boolean).length;

/** The addresses of a request. */
export function addressesOf({ url, routePath, basePath = '' }: RoutedRequest): readonly Address[] {
  const targets = routePath === undefined || routePath === null ? [url] : [url, routePath];
  return targets.map((target) => addressAt(targetPath(target), basePath.replace(/\/$/, ''), 'fixed'));
}

/**
 * The addresses of a request whose router knows its mount. The path as sent has the mount too, unless a rewrite made it another path.
 * The two spellings may differ in empty segments and dots, so each is counted on its own.
 */
export function sentAndMatched(sent: string | undefined, { path, mount }: Address): readonly Address[] {
  const isSame = sent === path || (sent && path && canonicalPath(sent) === canonicalPath(path));
  return [isSame ? { path: sent, mount } : { path: sent }, { path, mount }];
}

/** The address of a path that may begin with the text of a mount. */
export function addressAt(path: string | undefined, mount: string, kind: Mount['kind']): Address {
  const isMounted = mount !== '' && path !== undefined && `${path}/`.startsWith(`${mount}/`);
  return isMounted ? { path, mount: { segments: mount.split('/').length - 1, kind } } : { path };
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
export function rulesFor<Rule extends PathRule>(
  addresses: readonly Address[],
  rules: readonly Rule[],
  openPaths: readonly string[],
): readonly Rule[] | undefined {
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
