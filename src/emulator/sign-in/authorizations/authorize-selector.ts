import { HOSTED_LOGIN } from '../../../service/addresses.js';
import { dialects } from '../../../service/describe/dialect.js';
import { environmentConnections, providerNamed } from '../../rooms/connections/providers.js';
import { type ConnectionRecord, connections, connectionsAt } from '../../rooms/connections/records.js';
import { hostOf } from '../../rooms/organizations/domains.js';
import { organizations } from '../../rooms/organizations/records.js';
import type { Memory } from '../../world/memory.js';
import type { CodePurpose } from '../codes/authorization-codes.js';
import type { AuthorizationErrorCode, AuthorizationFields } from './authorizations.js';
import type { AuthorizeFailure } from './authorize-request.js';

/** How the user signs in, as chosen by the authorization URL. */
export type SignInSelector = Pick<AuthorizationFields, 'selector'> &
  Pick<AuthorizationFields, 'connectionId' | 'provider' | 'organizationId'>;

/** Parameter names of each selector, in all dialects and on all paths. */
const parameterNames = {
  connection: ['connection_id', 'connection'],
  organization: ['organization', 'organization_id'],
  provider: ['provider'],
  domain: ['domain'],
} as const;

/** The names of all selectors. */
export const selectorNames: readonly string[] = Object.values(parameterNames).flat();

/** Determine from an authorization URL how the user signs in. */
export function selectorOf(
  memory: Memory,
  purpose: CodePurpose,
  query: URLSearchParams,
): SignInSelector | { readonly failure: AuthorizeFailure } {
  const selectors = Object.entries(parameterNames).flatMap(([selector, spellings]) =>
    [...new Set(spellings.flatMap((name) => query.getAll(name)).filter(Boolean))].map((value) => ({ selector, value })),
  );
  const [one, ...others] = selectors;
  const selected = (name: string): string | undefined => selectors.find(({ selector }) => selector === name)?.value;
  const [provider, domain, organization] = [selected('provider'), selected('domain'), selected('organization')];
  if (selectors.some(({ selector }) => selector === 'domain') && purpose === 'user_management')
    return failWith(
      'domain_connection_selector_not_allowed',
      'The parameter domain is not valid here. Use a connection, an organization or a provider.',
    );
  if (provider !== undefined && selectors.length === 2) {
    if (domain !== undefined) return byDomainAndProvider(memory, domain, provider);
    if (organization !== undefined && purpose === 'user_management' && takesOrganization(memory, provider))
      return byHostedIn(memory, organization);
  }
  if (!one || others.length > 0)
    return failWith(
      'invalid_connection_selector',
      one
        ? `Only one connection selector is allowed, but there are ${selectors.length}.`
        : 'A valid connection selector is required: a connection, an organization or a provider.',
    );
  switch (one.selector) {
    case 'connection':
      return byConnection(memory.of(connections).find(one.value), one.value);
    case 'organization':
      return byOrganization(memory, one.value);
    case 'domain':
      return byDomain(memory, one.value);
    default:
      return byProvider(memory, purpose, one.value);
  }
}

const failWith = (error: AuthorizationErrorCode, description: string) => ({ failure: { error, description } });

function byConnection(connection: ConnectionRecord | undefined, id: string) {
  if (!connection) return failWith('connection_invalid', `No connection has the id ${id}.`);
  if (connection.state !== 'active')
    return failWith('connection_unlinked', `The connection ${connection.id} is ${connection.state}, not active.`);
  const { organizationId } = connection;
  return { selector: 'connection', connectionId: connection.id, organizationId } as const;
}

function byOrganization(memory: Memory, id: string) {
  if (!memory.of(organizations).find(id)) return noOrganization(id);
  const connection = onlyOf(memory.of(connections).where('organizationId', id).values());
  if (connection === 'several')
    return failWith(
      'ambiguous_connection_selector',
      'The organization has several connections. Use connection instead.',
    );
  return connection
    ? byConnection(connection, connection.id)
    : failWith('connection_invalid', `The organization ${id} has no connection.`);
}

function connectionsOf(memory: Memory, domain: string): readonly ConnectionRecord[] {
  return connectionsAt(memory, hostOf(domain) ?? domain).values();
}

function byDomain(memory: Memory, domain: string) {
  const connection = onlyOf(connectionsOf(memory, domain));
  if (connection === 'several')
    return failWith('ambiguous_connection_selector', 'The domain has several connections. Use connection instead.');
  return connection
    ? byConnection(connection, connection.id)
    : failWith('connection_domain_invalid', `No connection has the domain ${domain}.`);
}

/**
 * Select by the deprecated pair of domain and provider: the domain's connection of this provider if there is one, otherwise the
 * provider.
 */
function byDomainAndProvider(memory: Memory, domain: string, provider: string) {
  const name = providerNamed(provider);
  const match = connectionsOf(memory, domain).find((one) => one.connectionType === name && one.state === 'active');
  return match ? byConnection(match, match.id) : byProvider(memory, 'sso', provider);
}

/** Select the hosted pages, for members of one organization. */
const byHostedIn = (memory: Memory, organizationId: string) =>
  memory.of(organizations).find(organizationId)
    ? ({ selector: 'hosted', organizationId } as const)
    : noOrganization(organizationId);

const noOrganization = (id: string) => failWith('organization_invalid', `No organization has the id ${id}.`);

const isHosted = (memory: Memory, provider: string): boolean =>
  [HOSTED_LOGIN, dialects.workos.hostedProvider, memory.settings.dialect.hostedProvider].includes(provider);

const takesOrganization = (memory: Memory, provider: string): boolean =>
  memory.settings.dialect.hostedTakesOrganization && isHosted(memory, provider);

function byProvider(memory: Memory, purpose: CodePurpose, value: string) {
  if (isHosted(memory, value)) {
    if (purpose === 'user_management') return { selector: 'hosted' } as const;
    return failWith(
      'invalid_connection_selector',
      'The hosted sign-in is only available at /user_management/authorize.',
    );
  }
  const provider = providerNamed(value);
  if (provider === undefined) return failWith('invalid_connection_selector', `The provider ${value} is unknown.`);
  const candidates = environmentConnections(memory, provider);
  const [connection] = candidates;
  if (candidates.length > 1)
    return failWith(
      'connection_strategy_invalid',
      `The environment has ${candidates.length} connections for ${provider}. Use connection instead.`,
    );
  if (connection && connection.state !== 'active') return byConnection(connection, connection.id);
  return { selector: 'provider', provider } as const;
}

/** Return the only active connection. If none is active, return the first one, whose state explains the error. */
const onlyOf = (all: readonly ConnectionRecord[]): ConnectionRecord | 'several' | undefined => {
  const active = all.filter(({ state }) => state === 'active');
  return active.length > 1 ? 'several' : (active[0] ?? all[0]);
};
