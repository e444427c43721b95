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

/** Maximum number of mounts within mounts. A pattern may match a mount of thousands of segments. */
const maxMounts = 8;

/** Describe a mount by its text or its pattern. */
export function mountOf(pattern: string, kind?: Mount['kind']): Mount | undefined {
  const segments = segmentsIn(pattern);
  const ownKind = /[*{}()?]/.test(pattern) ? 'opaque' : pattern.includes('/:') ? 'pattern' : 'fixed';
  return segments === 0 ? undefined : { segments, kind: kind ?? ownKind };
}

const segmentsIn = (path: string): number => path.split('/').filter(Boolean).length;

/** The addresses of a request. */
export function addressesOf({ url, routePath, basePath = '' }: RoutedRequest): readonly Address[] {
  const targets = routePath === undefined || routePath === null ? [url] : [url, routePath];
  return targets.map((target) => addressAt(targetPath(target), basePath.replace(/\/$/, ''), 'fixed'));
}

/** The addresses of a request whose router knows its mount. It is not in a path that was rewritten. */
export const sentAndMatched = (sent: string | undefined, matched: Address): readonly Address[] =>
  sent === matched.path ? [matched] : [{ path: sent }, matched];

/** The address of a path that may begin with the text of a mount. */
export const addressAt = (path: string | undefined, mount: string, kind: Mount['kind']): Address => ({
  path,
  mount: path !== undefined && `${path}/`.startsWith(`${mount}/`) ? mountOf(mount, kind) : undefined,
});

/**
 * Find the rules that apply to a request: those that name any of its addresses. None if all addresses are open, undefined if routers
 * could read one of them in several ways.
 */
export function rulesFor<Rule extends PathRule>(
  addresses: readonly Address[],
  rules: readonly Rule[],
  openPaths: readonly string[],
): readonly Rule[] | undefined {
  const distinct = new Map<string, Address>();
  const names = new Set<string>();
  for (const address of addresses) {
    const own = canonicalNames(address);
    if (!own) return undefined;
    for (const name of own) names.add(foldPath(name));
    // Some routers decode the path. The first spelling counts, which is the one sent.
    const { path = address.path, mount } = distinct.get(own[0]) ?? {};
    distinct.set(own[0], { path, mount: mount ?? address.mount });
  }
  if ([...distinct.values()].every((address) => openPaths.some((open) => isOpenAt(address, open)))) return [];
  return rules.filter((rule) => [...names].some((name) => isWithin(name, rule.path)));
}

/** The canonical names of an address, for rules: from the root of the site first, and below each of its mounts. */
function canonicalNames({ path, mount }: Address): readonly [string, ...string[]] | undefined {
  const full = path === undefined ? undefined : canonicalPath(path);
  if (path === undefined || full === undefined) return undefined;
  const below: string[] = [];
  for (const depth of depthsOf(mount)) {
    // Split before decoding, because an escaped slash is no separator for the router.
    const name = canonicalPath(belowMount(path, depth));
    if (name === undefined) return undefined;
    below.push(name, belowMount(full, depth));
  }
  return [full, ...below];
}

/** The numbers of segments that mounts may have together. */
function depthsOf(mount: Mount | undefined): readonly number[] {
  const { segments = 0 } = mount ?? {};
  const outer = Array.from({ length: Math.min(segments, maxMounts) }, (_, at) => at + 1);
  return segments > maxMounts ? [...outer, segments] : outer;
}

/** Remove the first segments of a path, and what is left of slashes in front of the next one. */
const belowMount = (path: string, depth: number): string => {
  let at = 0;
  for (let count = 0; count < depth && at >= 0; count++) at = path.indexOf('/', at + 1);
  return at < 0 ? '/' : `/${path.slice(at).replace(/^[/\\]+/, '')}`;
};

/** Whether an entry of `open` names an address, from the root of the site or below its mounts. */
function isOpenAt({ path = '', mount }: Address, open: string): boolean {
  if (!mount || mount.kind === 'filter') return isOpen(path, open);
  if (mount.kind === 'opaque') return false;
  // The sender may choose a mount that is called like an open page. The page is what is below the mount.
  const isBeyond = mount.kind === 'fixed' || segmentsIn(open) > mount.segments;
  if (isBeyond && isOpen(path, open)) return true;
  const depths = mount.kind === 'fixed' ? depthsOf(mount) : [mount.segments];
  // A pattern may match the whole path, so that nothing is left of it.
  const mayBeHome = mount.kind !== 'unknown' || open !== '/';
  return mayBeHome && depths.some((depth) => isOpen(rawBelowMount(path, depth), open));
}

/** Remove the first segments of a path, exactly as it is. */
const rawBelowMount = (path: string, depth: number): string =>
  `/${path
    .split('/')
    .slice(depth + 1)
    .join('/')}`;
