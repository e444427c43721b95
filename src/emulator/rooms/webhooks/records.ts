import { keyIn } from '../../../crypto/standard-signature.js';
import { parsedUrl } from '../../../http/parsed-url.js';
import {
  array,
  body,
  constant,
  type Fields,
  oneOf,
  optional,
  part,
  ref,
  secret,
  string,
  timestamp,
  url,
} from '../../../service/describe/define.js';
import { eventNames, webhookEventNames } from '../../../service/event-names.js';
import {
  type WebhookEndpoint,
  type WebhookEndpointUpdate,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointUpdate,
} from '../../../service/webhooks.js';
import { pinned } from '../../world/pinned.js';
import { conflict, type RequestProblem, unprocessable } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';

/** A webhook endpoint as the emulator stores it. */
export interface WebhookEndpointRecord extends Omit<WebhookEndpoint, 'object' | 'events'> {
  readonly events: readonly string[];
  /** The address in its one spelling, by which it is compared with others. */
  readonly href: string;
  /** How deliveries are signed, where it is not as the service does it. */
  readonly scheme?: 'standard';
}

/** Where the application gets events. */
export const webhookEndpoints = collection<WebhookEndpointRecord>({
  object: 'webhook endpoint',
  prefix: 'we',
  unique: ['href'],
  record: ref<WebhookEndpointRecord>(
    part({
      id: string,
      endpointUrl: string,
      secret: string,
      status: webhookEndpoint.shape.status,
      events: array(string),
      href: url,
      scheme: optional(constant('standard')),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

export const newWebhookEndpoint = body({
  ...pinned,
  /** Where deliveries are sent. */
  endpointUrl: webhookEndpointCreate.shape.endpointUrl,
  /** Types of events to deliver; all when empty or not given. */
  events: optional(webhookEndpointCreate.shape.events),
  /** `disabled` to pause deliveries; `enabled` when not given. */
  status: webhookEndpointUpdate.shape.status,
  /** What deliveries are signed with; made up when not given. */
  secret: optional(secret(string)),
  /** How they are signed: as the service does it (default), or by the Standard Webhooks scheme. */
  scheme: optional(oneOf('service', 'standard')),
});
/** A webhook endpoint to make. */
export interface NewWebhookEndpoint extends Fields<typeof newWebhookEndpoint> {}

/** Put a webhook endpoint into a world. @throws {Refusal} 422 for a wrong field, 409 for an address that is known. */
export function insertWebhookEndpoint(world: World, endpoint: NewWebhookEndpoint): WebhookEndpointRecord {
  const { id, endpointUrl, events = [], status = 'enabled', secret: key, scheme } = endpoint;
  const href = check(world, { endpointUrl, events })!;
  if (scheme === 'standard' && key !== undefined && !keyIn(key))
    throw unprocessable([
      { field: 'secret', code: 'invalid_format', message: 'must be Base64 behind whsec_ with the scheme standard' },
    ]);
  const { now } = world;
  return world.of(webhookEndpoints).insert({
    ...(id === undefined ? {} : { id }),
    endpointUrl,
    href,
    secret: key ?? `whsec_${world.ids.token(32)}`,
    status,
    ...(scheme === 'standard' ? { scheme } : {}),
    events: [...new Set(events)],
    createdAt: now,
    updatedAt: now,
  });
}

/** Change a webhook endpoint. @throws {Refusal} 404, 422 or 409. */
export function updateWebhookEndpoint(
  world: World,
  id: string,
  { endpointUrl, events, status }: WebhookEndpointUpdate,
): WebhookEndpointRecord {
  const before = world.of(webhookEndpoints).get(id);
  const href = check(world, { endpointUrl, events }, id);
  return world.of(webhookEndpoints).update(id, {
    endpointUrl: endpointUrl ?? before.endpointUrl,
    href: href ?? before.href,
    events: events ? [...new Set(events)] : before.events,
    status: status ?? before.status,
    updatedAt: world.now,
  });
}

/** Whether an endpoint gets this type of event. */
export const wants = ({ status, events }: WebhookEndpointRecord, event: string): boolean =>
  status === 'enabled' && !isListedOnly(event) && (events.length === 0 || events.includes(event));

/** Whether this type of event can only be listed. */
const isListedOnly = (event: string): boolean => includes(eventNames, event) && !includes(webhookEventNames, event);

const includes = (names: readonly string[], name: string): boolean => names.includes(name);

/** Refuse what an endpoint cannot be; for an existing one, `id` says which. Returns its address in its one spelling. */
function check(world: World, { endpointUrl, events }: WebhookEndpointUpdate, id?: string): string | undefined {
  const url = endpointUrl === undefined ? undefined : (parsedUrl(endpointUrl) ?? null);
  const errors = [
    ...(url === undefined ? [] : objectionsTo(url)),
    ...(events ?? []).flatMap((event, at) => objectionToEvent(event, `events.${at}`) ?? []),
  ];
  if (errors.length > 0) throw unprocessable(errors);
  if (!url) return undefined;
  const holder = world.of(webhookEndpoints).by('href', url.href);
  if (holder && holder.id !== id)
    throw conflict('duplicate_endpoint', `There already is a webhook endpoint with this endpoint_url: ${holder.id}`);
  return url.href;
}

function objectionsTo(url: URL | null): RequestProblem[] {
  const objection = (message: string): RequestProblem[] => [{ field: 'endpoint_url', code: 'invalid_format', message }];
  if (url === null || !/^https?:$/.test(url.protocol)) return objection('must be an http or https URL');
  if (url.username || url.password) return objection('must not hold a user name or password');
  return [];
}

function objectionToEvent(event: string, field: string): RequestProblem | undefined {
  if (!/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/.test(event))
    return { field, code: 'invalid_value', message: 'must be the name of an event such as user.created' };
  if (isListedOnly(event))
    return {
      field,
      code: 'invalid_value',
      message: `must be delivered to endpoints; ${event} is only listed by GET /events`,
    };
  return undefined;
}
