import type { Emulator, Seed } from '../../../src/emulator/index.js';
import type { Send } from '../../servers/send.js';

/** An emulator, and requests to it. */
export interface Place {
  readonly emulator: Emulator;
  readonly send: Send;
}

/** A control called both ways, with requests and answers typed by hand in wire names. */
export interface Row {
  /** What has to be there first. */
  readonly before?: (place: Place) => Promise<unknown>;
  /** The id of what it is about, where the emulator made that up; `{id}` in the request. */
  readonly find?: (place: Place) => Promise<string>;
  readonly inProcess: (emulator: Emulator, id: string) => unknown;
  readonly request: readonly [line: string, body?: unknown];
  /** The answer of both, as far as it is of interest; nothing when not given. */
  readonly answer?: unknown;
  /** What a client sees afterwards. */
  readonly shows: (place: Place, id: string) => Promise<unknown>;
  readonly then: unknown;
  /** A call that is refused; absent if no call can be wrong. */
  readonly refused?: {
    readonly inProcess: (emulator: Emulator) => unknown;
    readonly request: readonly [line: string, body?: unknown];
    readonly status: number;
    readonly code: string;
    /** Fields that are wrong, by their wire names. */
    readonly fields?: readonly string[];
  };
}

/** What both emulators start with. */
export const company: Seed = {
  organizations: [{ id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'pending' }] }],
  users: [
    {
      id: 'user_ada',
      email: 'ada@acme.test',
      email_verified: true,
      password: 'correct horse battery',
      profile_picture_url: 'https://acme.test/ada.png',
    },
  ],
  memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
  connections: [
    { id: 'conn_okta', organization_id: 'org_acme', connection_type: 'OktaSAML', name: 'Okta' },
    { id: 'conn_draft', organization_id: 'org_acme', connection_type: 'OktaSAML', name: 'Draft', state: 'draft' },
  ],
  directories: [
    {
      id: 'directory_acme',
      organization_id: 'org_acme',
      name: 'Acme people',
      domain: 'acme.test',
      groups: [{ id: 'directory_group_docks', idp_id: 'docks', name: 'Docks' }],
      users: [{ id: 'directory_user_grace', idp_id: 'grace', email: 'grace@acme.test', first_name: 'Grace' }],
    },
  ],
  webhook_endpoints: [{ id: 'we_app', endpoint_url: 'http://127.0.0.1:9/hook', events: ['organization.created'] }],
  connect_applications: [{ id: 'conn_app_notes', client_id: 'client_notes', name: 'Notes', scopes: ['notes:read'] }],
};

/** The types of the events so far. */
export const eventsOf = async ({ send }: Place, ...names: readonly string[]): Promise<readonly string[]> => {
  const query = names.map((name) => `events[]=${name}`).join('&');
  const { body } = await send(`GET /events?${query}&limit=100`);
  return body.data.map(({ event }: { readonly event: string }) => event);
};
