import { nearest } from './nearest.js';
import { type Path, type Problem, textOf } from './problems.js';

/** A way into a seed, in wire names; a star stands for every item of a list. */
type Pattern = string;

/** Ids by which objects are known, each kind under its name. */
const ids: Readonly<Record<string, readonly Pattern[]>> = {
  role: ['roles.*.id', 'organizations.*.roles.*.id'],
  organization: ['organizations.*.id'],
  'organization domain': ['organizations.*.domain_data.*.id'],
  'connect application': ['connect_applications.*.id'],
  user: ['users.*.id'],
  'authentication factor': ['users.*.auth_factors.*.id'],
  'authorized application': ['users.*.authorized_applications.*.id'],
  'organization membership': ['memberships.*.id'],
  invitation: ['invitations.*.id'],
  connection: ['connections.*.id'],
  profile: ['connections.*.profiles.*.id'],
  directory: ['directories.*.id'],
  'directory group': ['directories.*.groups.*.id'],
  'directory user': ['directories.*.users.*.id'],
  'webhook endpoint': ['webhook_endpoints.*.id'],
};

/** Names of which a seed has each one only once, beside the ids. */
const names: Readonly<Record<string, readonly Pattern[]>> = {
  'API key': ['api_keys.*.value'],
  'audit log action': ['audit_log_actions.*.name'],
};

/** A field that names an object. */
interface Reference {
  readonly from: Pattern;
  readonly to: string;
  /** Patterns of the names it may have. */
  readonly among: readonly Pattern[];
  /** How many leading stars of both patterns stand for the same item. */
  readonly shared?: number;
}

const anOrganization = { to: 'organization', among: ['organizations.*.id'] };
const aUser = { to: 'user', among: ['users.*.id'] };

const references: readonly Reference[] = [
  {
    from: 'users.*.authorized_applications.*.application_id',
    to: 'connect application',
    among: ['connect_applications.*.id', 'connect_applications.*.client_id'],
  },
  { from: 'memberships.*.user_id', ...aUser },
  { from: 'memberships.*.organization_id', ...anOrganization },
  { from: 'invitations.*.inviter_user_id', ...aUser },
  { from: 'invitations.*.organization_id', ...anOrganization },
  { from: 'connections.*.organization_id', ...anOrganization },
  { from: 'directories.*.organization_id', ...anOrganization },
  {
    from: 'directories.*.users.*.groups.*',
    to: 'group of this directory',
    among: ['directories.*.groups.*.id'],
    shared: 1,
  },
];

const mostHints = 10;

interface Named {
  readonly pattern: Pattern;
  readonly value: string;
  /** Positions in the lists on the way. */
  readonly at: readonly number[];
}

/** Every text that these patterns lead to. */
function textsAt(seed: unknown, ...patterns: readonly Pattern[]): Named[] {
  const found: Named[] = [];
  for (const pattern of patterns) {
    const steps = pattern.split('.');
    const at: number[] = [];
    const walk = (value: unknown, depth: number): void => {
      const step = steps[depth];
      if (step === undefined) {
        if (typeof value === 'string') found.push({ pattern, value, at: [...at] });
      } else if (typeof value !== 'object' || value === null) return;
      else if (step !== '*') {
        // What an object has under a name, whatever it is.
        if (Object.hasOwn(value, step)) walk((value as Record<string, unknown>)[step], depth + 1);
      } else if (Array.isArray(value))
        for (let i = 0; i < value.length; i++) {
          at.push(i);
          walk(value[i], depth + 1);
          at.pop();
        }
    };
    walk(seed, 0);
  }
  return found;
}

function pathOf({ pattern, at }: Named): Path {
  const positions = at.values();
  return pattern.split('.').map((step) => (step === '*' ? positions.next().value! : step));
}

/** Ids that cannot be used or are used twice, and references to what is not there. */
export function* wrongNames(seed: unknown): Generator<Problem> {
  for (const patterns of Object.values(ids)) yield* wrongIds(textsAt(seed, ...patterns));
  for (const patterns of Object.values(names)) yield* repeated(textsAt(seed, ...patterns));
  for (const reference of references) yield* dangling(seed, reference);
}

function* wrongIds(found: readonly Named[]): Generator<Problem> {
  // It stands in addresses, and in lists with commas.
  for (const named of found)
    if (!/^[A-Za-z0-9_.~-]+$/.test(named.value) || /^\.+$/.test(named.value))
      yield { path: pathOf(named), message: 'must be made of letters, digits, _, -, . and ~' };
  yield* repeated(found);
}

function* repeated(found: readonly Named[]): Generator<Problem> {
  const first = new Map<string, Named>();
  for (const named of found) {
    const other = first.get(named.value);
    if (other) yield { path: pathOf(named), message: `is taken; ${textOf(pathOf(other))} is the same` };
    else first.set(named.value, named);
  }
}

function* dangling(seed: unknown, { from, to, among, shared = 0 }: Reference): Generator<Problem> {
  const scopeOf = ({ at }: Named): string => at.slice(0, shared).join();
  const known = new Map<string, Set<string>>();
  for (const named of textsAt(seed, ...among)) {
    const scope = known.get(scopeOf(named)) ?? new Set();
    known.set(scopeOf(named), scope.add(named.value));
  }
  let dangling = 0;
  for (const named of textsAt(seed, from)) {
    const there = known.get(scopeOf(named)) ?? new Set<string>();
    if (there.has(named.value)) continue;
    // Beyond what is told anyway, looking for what was meant would only take time.
    const meant = dangling++ < mostHints ? nearest(named.value, there) : undefined;
    const hint = meant ? `; did you mean ${meant}?` : there.size > 0 ? '' : '; none there has an id';
    yield { path: pathOf(named), message: `names no ${to} of this seed: ${JSON.stringify(named.value)}${hint}` };
  }
}
