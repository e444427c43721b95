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
import type { Instant } from './clock.js';

/** Upper limit of `idleMs`: 31 days. */
export const maxIdleMs = 31 * 86_400_000;

export const newWorld = body({
  /** Subdomain of `localhost` for browsers: up to 63 lowercase letters, digits and hyphens; default `w1`, `w2`, … */
  name: optional(string),
  /** Its seed, with the content of a seed file; default: the emulator's own seed. Null for an empty world. */
  seed: maybe(opaqueAs<object>()),
  /** Start time of its clock, which then stands still until you move it; default: like the emulator's own clock. */
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
  /** Base URL for browsers. */
  url,
  /** Environment variables for an application that uses it. */
  env: opaqueAs<Readonly<Record<string, string>>>(),
  /** When it was created, by the emulator's own clock. */
  createdAt: timestamp,
  /** Milliseconds of real time without a request after which the world is deleted. */
  idleMs: integer,
});
/** A world created in a running emulator. */
export interface MadeWorld extends Readonly<Fields<typeof madeWorld>> {}

/** The worlds created in a running emulator. */
export interface MadeWorlds {
  /** @throws {Refusal} 409 if the name, API key or client id is taken, 422 if an option or the seed is invalid. */
  create(options: NewWorld): Promise<MadeWorld>;
  list(): readonly MadeWorld[];
  /** @throws {Refusal} 404. */
  get(name: string): MadeWorld;
  /** @throws {Refusal} 404. */
  forget(name: string): void;
}
