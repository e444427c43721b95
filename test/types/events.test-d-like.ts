/**
 * What the compiler must say about events. Nothing here runs: `npm run typecheck` fails when a line no longer means what
 * it should, and when an `@ts-expect-error` has become unnecessary.
 */

import { isEvent } from '../../src/client/events.js';
import type { DirectoryGroupUser } from '../../src/service/events/data.js';
import { type EventName, eventNames, type WebhookEventName } from '../../src/service/events/names.js';
import type { Event, EventFilter, EventOf, UnknownEvent } from '../../src/service/events.js';
import type { Connection } from '../../src/service/sso.js';
import type { User } from '../../src/service/users.js';
import type { WebhookEndpointCreate } from '../../src/service/webhooks.js';

declare const event: Event;

// A switch over the event type narrows the data.
switch (event.event) {
  case 'user.created': {
    const user: User = event.data;
    const email: string = event.data.email;
    // @ts-expect-error users have no domains
    event.data.domains;
    void [user, email];
    break;
  }
  case 'user.updated':
  case 'user.deleted': {
    const user: User = event.data;
    void user;
    break;
  }
  case 'dsync.group.user_added': {
    const joined: DirectoryGroupUser = event.data;
    const username: string | null = event.data.user.username;
    void [joined, username];
    break;
  }
  case 'connection.activated': {
    const connection: Connection = event.data;
    void connection;
    break;
  }
  case 'invitation.created':
    // @ts-expect-error events carry invitations without the token
    event.data.token;
    break;
  case 'vault.data.read': {
    // A listed type with data that has no description keeps the wire names.
    const actor: unknown = event.data.actor_id;
    void actor;
    break;
  }
  // @ts-expect-error no such type of event is listed
  case 'user.renamed':
    break;
  default: {
    const id: string = event.id;
    void id;
  }
}

// An `if` narrows too, and the rest is still an event.
if (event.event === 'organization.created') {
  const name: string = event.data.name;
  void name;
} else {
  const rest: Exclude<Event, EventOf<'organization.created'>> = event;
  void rest;
}

// An event of an unlisted type has a string as its name, and its data has no type.
declare const unknownEvent: UnknownEvent;
const accepted: Event = unknownEvent;
const name: string = unknownEvent.event;
const data: Record<string, unknown> = unknownEvent.data;
void [accepted, name, data];
if (isEvent(event, 'user.renamed')) {
  const renamed: unknown = event.data.previous_name;
  void renamed;
}
if (isEvent(event, 'user.created')) {
  const user: User = event.data;
  void user;
}

// Data that does not match its type has a problem, and then no type.
if (event.problem) {
  const unreadable: UnknownEvent = event;
  const words: string = event.problem.message;
  void [unreadable, words];
}
if (event.event === 'user.created') {
  const none: undefined = event.problem;
  void none;
}

// After every listed type only the unlisted ones are left.
declare const listed: Exclude<Event, UnknownEvent>;
const listedName: EventName = listed.event;
// @ts-expect-error an event of an unlisted type carries no listed name
const unlistedName: EventName = unknownEvent.event;
void [listedName, unlistedName];

// A handler for one event type accepts only events of that type.
declare function welcome(event: EventOf<'user.created'>): void;
if (event.event === 'user.created') welcome(event);
// @ts-expect-error not every event is a new user
welcome(event);

// Filters and endpoints suggest the listed types and accept any other.
const filter: EventFilter = { events: ['user.created', 'user.renamed'] };
const endpoint: WebhookEndpointCreate = { endpointUrl: 'https://acme.test/webhooks', events: ['user.created'] };
const first: EventName = eventNames[0];
// @ts-expect-error webhook endpoints are not sent vault events
const vault: WebhookEventName = 'vault.data.read';
void [filter, endpoint, first, vault];
