import {
  array,
  between,
  body,
  type Fields,
  integer,
  maybe,
  opaqueAs,
  optional,
  part,
  secret,
  string,
  timestamp,
  url,
  valueAs,
} from '../../service/describe/define.js';
import type { DialectChoice } from '../../service/describe/dialect.js';
import type { Instant } from './clock.js';

/** Upper limit of `idleMs`: 31 days. */
const maxIdleMs = 31 * 86_400_000;

export const newWorld = body({
  /** Subdomain of `localhost` for browsers: up to 63 lowercase letters, digits and hyphens; default `w1`, `w2`, … */
  name: optional(string),
  /** Its seed: the content of a seed file, as an object; default: the seed of the emulator. Null for an empty world. */
  seed: maybe(opaqueAs<object>()),
  /** Start time of its clock, which then only moves when you advance it; default: a clock like that of the emulator. */
  clock: optional(valueAs<Instant>()),
  /** Redirect URIs in addition to those of the seed. */
  redirectUris: optional(array(string)),
  /** Its API key, prefix `sk_`; random by default. */
  apiKey: optional(secret(string)),
  /** Its client id; random by default. */
  clientId: optional(string),
  /** Milliseconds of real time without a request after which the world is deleted; default one hour. */
  idleMs: optional(between(1, maxIdleMs)),
});
/** Options to create a world over HTTP. */
export interface NewWorld extends Readonly<Fields<typeof newWorld>> {}

export const madeWorld = part({
  name: string,
  /** Its API key, for calls to the service and for its controls. */
  apiKey: string,
  clientId: string,
  /** Base URL for clients; the same as the emulator's. */
  baseUrl: url,
  /** Dialect of the emulator: the name of a preset, or its own. */
  dialect: valueAs<DialectChoice>(),
  /** Base URL for browsers. */
  url,
  /** Environment variables for an application that uses it. */
  env: opaqueAs<Readonly<Record<string, string>>>(),
  /** Time it was created, by the emulator's clock; ISO 8601 UTC. */
  createdAt: timestamp,
  /** Milliseconds of real time without a request after which the world is deleted. */
  idleMs: integer,
});
/** A world created in a running emulator. */
export interface MadeWorld extends Readonly<Fields<typeof madeWorld>> {}

/** The worlds created in a running emulator. */
export interface CreatedWorlds {
  /** @throws {Refusal} 409 if the name, API key or client id is taken, 422 if an option or the seed is invalid. */
  create(options: NewWorld): Promise<MadeWorld>;
  list(): readonly MadeWorld[];
  /** @throws {Refusal} 404. */
  get(name: string): MadeWorld;
  /** @throws {Refusal} 404. */
  forget(name: string): void;
}
