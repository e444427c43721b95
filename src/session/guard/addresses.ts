import type { RoutedRequest } from '../request/request.js';
import { canonicalPath, foldPath, isOpen, isWithin, targetPath } from './paths.js';

/** A path of a request: as sent, or as the router matches it. */
export interface Address {
  /** Undecoded, from the root of the site. Undefined if the request target has no path. */
  readonly path: string | undefined;
  /** Number of segments of the mounts or the base path in front. Rules and open paths may be written without them. */
  readonly mountDepth?: number;
}

/** A path with requirements. */
export interface PathRule {
  /** Canonical and folded. */
  readonly path: string;
}

/** Count the segments of a mount or base path. */
export const depthOf = (mount: string): number => mount.split('/').filter(Boolean).length;

/** The addresses of a request. */
export function addressesOf({ url, routePath, basePath = '' }: RoutedRequest): readonly Address[] {
  const targets = routePath === undefined || routePath === null ? [url] : [url, routePath];
  return targets.map((target) => addressAt(targetPath(target), basePath));
}

/** The addresses of a request whose router knows its mount. It is not in a path that was rewritten. */
export const sentAndMatched = (sent: string | undefined, matched: Address): readonly Address[] =>
  sent === matched.path ? [matched] : [{ path: sent }, matched];

/** The address of a path, whose first segments may be those of a mount. */
export const addressAt = (path: string | undefined, mount: string): Address =>
  mount && path !== undefined && `${path}/`.startsWith(`${mount}/`) ? { path, mountDepth: depthOf(mount) } : { path };

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
  for (const address of addresses) {
    const canonical = address.path === undefined ? undefined : canonicalPath(address.path);
    if (canonical === undefined) return undefined;
    // Some routers decode the path. The first spelling counts, which is the one sent.
    const { path, mountDepth = 0 } = distinct.get(canonical) ?? address;
    distinct.set(canonical, { path, mountDepth: Math.max(mountDepth, address.mountDepth ?? 0) });
  }
  const isOpenAt = ({ path = '', mountDepth }: Address): boolean =>
    namesOf(path, mountDepth).some((name) => openPaths.some((open) => isOpen(name, open)));
  if ([...distinct.values()].every(isOpenAt)) return [];
  const names = [...distinct].flatMap(([canonical, { mountDepth }]) => namesOf(foldPath(canonical), mountDepth));
  return rules.filter((rule) => names.some((name) => isWithin(name, rule.path)));
}

/** The names of a path: from the root of the site, and below each of its mounts. */
const namesOf = (path: string, mountDepth = 0): readonly string[] => {
  const segments = path.split('/');
  return Array.from({ length: mountDepth + 1 }, (_, depth) =>
    depth === 0 ? path : `/${segments.slice(depth + 1).join('/')}`,
  );
};
