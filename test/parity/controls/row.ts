import type { Emulator, Seed } from '../../../src/emulator/index.js';
import type { Send } from '../../servers/send.js';

/** An emulator, and a function that sends it requests. */
export interface Place {
  readonly emulator: Emulator;
  readonly send: Send;
}

/** A control that is called both ways, with requests and answers typed by hand in wire names. */
export interface Row {
  /** Creates what the call needs. */
  readonly before?: (place: Place) => Promise<unknown>;
  /** Returns the id of the object of the call, if the emulator created the id; `{id}` in the request. */
  readonly find?: (place: Place) => Promise<string>;
  readonly inProcess: (emulator: Emulator, id: string) => unknown;
  readonly request: readonly [line: string, body?: unknown];
  /** The expected part of both answers; no expectation if absent. */
  readonly answer?: unknown;
  /** What a client reads afterwards. */
  readonly shows: (place: Place, id: string) => Promise<unknown>;
  readonly then: unknown;
  /** A call that is refused; absent if every call is valid. */
  readonly refused?: {
    readonly inProcess: (emulator: Emulator) => unknown;
    readonly request: readonly [line: string, body?: unknown];
    readonly status: number;
    readonly code: string;
    /** The invalid fields, by their wire names. */
    readonly fields?: readonly string[];
  };
}

/** The seed of both emulators. */
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
