import {
  array,
  between,
  body,
  type Fields,
  integer,
  maybe,
  nullable,
  opaqueAs,
  optional,
  part,
  ref,
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

export const worldOwner = part({
  /** Host name. */
  host: string,
  /** Process id. */
  pid: integer,
  /** Start of the process, in units of its system; null if unknown. Process ids are reused. */
  start: nullable(string),
  /** Boot and namespace within which process ids are unique; null if unknown. Two containers can have the same host name. */
  system: nullable(string),
});
/** The process of a test fixture that created a world. */
export interface WorldOwner extends Readonly<Fields<typeof worldOwner>> {}

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
  /** Milliseconds of real time without a request or a call after which the world is deleted; default one hour. */
  idleMs: optional(between(1, maxIdleMs)),
  /** The process that creates it. Fixtures set this, so that their next process can replace it. */
  owner: optional(ref<WorldOwner>(worldOwner)),
  /** Owner, known to have ended, whose world with the same name, API key or client id is deleted first. */
  replaces: optional(ref<WorldOwner>(worldOwner)),
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
  /** The process of the fixture that created it; undefined if it was not a fixture. */
  owner: optional(ref<WorldOwner>(worldOwner)),
  /** Milliseconds of real time since the last request to the world of a fixture. */
  idleForMs: optional(integer),
});
/** A world created in a running emulator. */
export interface MadeWorld extends Readonly<Fields<typeof madeWorld>> {}

/** The worlds created in a running emulator. */
export interface CreatedWorlds {
  /** @throws {EmulatorRefusal} 409 if the name, API key or client id is taken, 422 if an option or the seed is invalid. */
  create(options: NewWorld): Promise<MadeWorld>;
  list(): readonly MadeWorld[];
  /** @throws {EmulatorRefusal} 404. */
  get(name: string): MadeWorld;
  /** @throws {EmulatorRefusal} 404. */
  forget(name: string): void;
}
