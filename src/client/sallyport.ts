import type { Method } from '../service/describe/operation.js';
import type { Call } from '../transport/answer/call.js';
import type { ClientLimits } from '../transport/limits/options.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import type { DirectListOptions, DirectRequestOptions } from '../transport/request/options.js';
import { parametersIn } from '../transport/request/url.js';
import { Transport } from '../transport/transport.js';
import type { SallyportOptions, WithOptions } from '../transport/types.js';
import { AuditLogs } from './audit-logs.js';
import { DirectorySync } from './directory-sync.js';
import { Events } from './events.js';
import { Fga } from './fga.js';
import { Legacy } from './legacy.js';
import { Mfa } from './mfa.js';
import { OrganizationDomains } from './organization-domains.js';
import { Organizations } from './organizations.js';
import { Passwordless } from './passwordless.js';
import { Portal } from './portal.js';
import { Sso } from './sso.js';
import { UserManagement } from './user-management.js';
import { Webhooks } from './webhooks.js';

// Loaded on demand: few programs call endpoints that are not described.
const direct = () => import('../transport/request/direct.js');

/**
 * The client of the service, with one property per API. Create one and reuse it; it holds no connections or timers.
 *
 * Missing options are read from `SALLYPORT_API_KEY`, `SALLYPORT_CLIENT_ID`, `SALLYPORT_BASE_URL` and `SALLYPORT_DIALECT`, and in dialect
 * `workos` also from `WORKOS_API_KEY` and `WORKOS_CLIENT_ID`. If nothing chooses a service, it is the public one,
 * `https://api.workos.com`. If a required option is not set, the first call rejects with a `ConfigurationError`, because frameworks load
 * modules during the build, without these variables.
 *
 * @throws {ConfigurationError} An option is invalid or unsafe; the message says what to pass.
 * @example
 * const sallyport = new Sallyport({ apiKey: 'sk_…', baseUrl: 'https://api.example.com' });
 * const organization = await sallyport.organizations.createOrganization({ name: 'Acme' });
 */
export class Sallyport {
  /** The customers of your application. */
  declare readonly organizations: Organizations;
  /** Email domains of organizations, and their verification. */
  declare readonly organizationDomains: OrganizationDomains;
  /** Users, signing in, memberships and invitations. */
  declare readonly userManagement: UserManagement;
  /** Second factors, also for users that only exist in your application. */
  declare readonly mfa: Mfa;
  /** Single sign-on: authorization URLs, profiles, connections. */
  declare readonly sso: Sso;
  /** Directories with their users and groups. */
  declare readonly directorySync: DirectorySync;
  /** Events of the last 30 days. */
  declare readonly events: Events;
  /** Webhook endpoints, and the verification of deliveries. */
  declare readonly webhooks: Webhooks;
  /** Audit events, their schemas and exports. */
  declare readonly auditLogs: AuditLogs;
  /** Links to the admin portal. */
  declare readonly portal: Portal;
  /** Magic-link sessions; deprecated. */
  declare readonly passwordless: Passwordless;
  /** Fine-grained authorization: resource types, resources, warrants, checks. */
  declare readonly fga: Fga;
  /** Older APIs that the service still supports. */
  declare readonly legacy: Legacy;
  /** Usage of the service's rate limits, if the client has the option `limits`. */
  declare readonly limits: ClientLimits;

  readonly #transport: Transport;

  constructor(options: SallyportOptions = {}) {
    const transport = options instanceof Transport ? options : new Transport(options);
    this.#transport = transport;
    this.organizations = new Organizations(transport);
    this.organizationDomains = new OrganizationDomains(transport);
    this.userManagement = new UserManagement(transport);
    this.mfa = new Mfa(transport);
    this.sso = new Sso(transport);
    this.directorySync = new DirectorySync(transport);
    this.events = new Events(transport);
    this.webhooks = new Webhooks(transport);
    this.auditLogs = new AuditLogs(transport);
    this.portal = new Portal(transport);
    this.passwordless = new Passwordless(transport);
    this.fga = new Fga(transport);
    this.legacy = new Legacy(transport);
    this.limits = transport.limits;
  }

  /**
   * Return a client with other options that shares everything else with this one: the rate limits, the queue of `maxConcurrent`, the
   * retry budget and the key sets. `headers` are added to those of this client; any other option replaces it.
   *
   * @throws {ConfigurationError} An option is unknown or invalid, or cannot be changed, such as `apiKey` and `baseUrl`.
   * @example
   * const patient = sallyport.with({ timeoutMs: 120_000, deadlineMs: 300_000 });
   */
  with(options: WithOptions): Sallyport {
    // The constructor recognizes a transport, which its type hides from callers.
    return new Sallyport(this.#transport.with(options) as unknown as SallyportOptions);
  }

  /**
   * Send a request to any endpoint, also to one that this version does not know, with the retries, limits, idempotency keys and errors
   * of every other method. Names in `query`, `body` and the response are those of the wire. The result is undefined if the response is
   * empty.
   *
   * `path` is below `baseUrl` and sent as it is: encode the ids in it with `encodeURIComponent`. Throws the same errors as every other
   * call, such as `NotFoundError` for status 404.
   *
   * @throws {InvalidArgumentError} `path` does not begin with one `/`, leaves `baseUrl` or is not encoded, or another argument is invalid.
   * @throws {ConfigurationError} The client has no API key.
   * @example
   * const report = await sallyport.request('POST', `/organizations/${encodeURIComponent(id)}/reports`, {
   *   route: '/organizations/:id/reports',
   *   body: { period_start: '2026-01-01' },
   * });
   */
  request(method: Method, path: string, options?: DirectRequestOptions): Call<unknown> {
    const { query, body, route: _, ...rest } = options ?? {};
    return this.#transport.send(
      async () => (await direct()).requestOf(method, path, options ?? {}),
      { path, query: parametersIn(query), body },
      rest,
    );
  }

  /**
   * List the items of any endpoint that has pages, also of one that this version does not know. Await the result for one page, or iterate
   * over it to get all items. Names in `query` and in the items are those of the wire.
   *
   * @throws {InvalidArgumentError} `path` does not begin with one `/`, leaves `baseUrl` or is not encoded, or another argument is invalid.
   * @throws {ConfigurationError} The client has no API key.
   * @example
   * for await (const report of sallyport.list('/reports', { query: { state: 'open' } })) console.log(report);
   */
  list(path: string, options?: DirectListOptions): PagePromise<unknown> {
    const { query, route: _, ...rest } = options ?? {};
    return this.#transport.pages(
      async () => (await direct()).listOf(path, options ?? {}),
      { path, query: parametersIn(query) },
      rest,
    );
  }
}
