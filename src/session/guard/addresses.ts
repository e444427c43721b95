import type { RoutedRequest } from '../request/request.js';
import { canonicalPath, foldPath, isOpen, isWithin, targetPath } from './paths.js';

/** A path under which a request is known: as sent, or as the router matches it. */
export interface Address {
  /** Undecoded, from the root of the site. Undefined if the request target has no path. */
  readonly path: string | undefined;
  /** Number of segments of the mount or base path in front. Rules and open paths may be written without them. */
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
  const names = new Set<string>();
  for (const { path, mountDepth = 0 } of addresses) {
    const canonical = path === undefined ? undefined : canonicalPath(path);
    if (canonical === undefined) return undefined;
    // Routers within routers: each may have the rules.
    for (let depth = 0; depth <= mountDepth; depth++) names.add(foldPath(belowMount(canonical, depth)));
  }
  if (addresses.every((address) => openPaths.some((open) => isOpenAt(address, open)))) return [];
  return rules.filter((rule) => [...names].some((name) => isWithin(name, rule.path)));
}

/** Whether an address is open, from the root of the site or below its mount. */
const isOpenAt = ({ path = '', mountDepth = 0 }: Address, open: string): boolean =>
  isOpen(path, open) || (mountDepth > 0 && isOpen(belowMount(path, mountDepth), open));

/** Remove the first segments of a path. */
const belowMount = (path: string, depth: number): string =>
  depth === 0
    ? path
    : `/${path
        .split('/')
        .slice(depth + 1)
        .join('/')}`;
