import type { Raw } from '../world/parser.js';
import type { World } from '../world/world.js';

/** The worlds of an emulator, the one first that requests without any clue are about. */
export type Worlds = readonly [World, ...World[]];

/** Fields of a query or form that name something of one world: a sign-in, a link, a session. */
const naming = ['authorization', 'token', 'session_id'];

/** The API key in the header of a request, or another bearer token. */
export const bearerOf = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** The world that an API key opens; the first one where no other does. */
export const worldOfKey = (worlds: Worlds, apiKey: unknown): World =>
  worlds.find(({ keys }) => keys.find(apiKey)) ?? worlds[0];

/** The world of a client; undefined for an unknown one. */
export const worldOfClient = (worlds: Worlds, clientId: unknown): World | undefined =>
  worlds.find(({ settings }) => settings.clientId === clientId);

/** What a request without an API key in its header says about the world that it is for. */
export interface Clues {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly raw: Raw;
  readonly request: Request;
}

/** The world that such a request is for: by the secret or the id of a client, or by something that one world alone knows. */
export function worldOf(worlds: Worlds, { params, query, raw, request }: Clues): World {
  const [first, ...others] = worlds;
  if (others.length === 0) return first;
  const fields = (raw.value ?? {}) as Readonly<Record<string, unknown>>;
  const secret = fields.client_secret;
  const clientId = fields.client_id ?? query.get('client_id') ?? params.clientId;
  const names = [
    ...naming.flatMap((name) => [fields[name], query.get(name)]),
    ...Object.values(params),
    bearerOf(request),
  ];
  return (
    worlds.find(({ keys }) => keys.find(secret)) ??
    worldOfClient(worlds, clientId) ??
    worlds.find((world) => names.some((name) => typeof name === 'string' && world.knows(name))) ??
    first
  );
}
