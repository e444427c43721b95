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

/** The longest for which a world is remembered that nobody uses: 31 days. */
export const longestIdleMs = 31 * 86_400_000;

export const newWorld = body({
  /** Label in front of `localhost` under which browsers reach it: small letters, digits and hyphens, at most 63; `w1`, `w2`, … when not given. */
  name: optional(string),
  /** What it starts with, as a seed file has it; the emulator's own seed when not given, nothing when null. */
  seed: maybe(opaqueAs<object>()),
  /** Time at which its clock stands until it is moved; like the emulator's own clock when not given. */
  clock: optional(valueAs<Instant>()),
  /** Where its users may be sent after they have signed in, beside what the seed says. */
  redirectUris: optional(array(string)),
  /** Its API key, prefix `sk_`; random when not given. */
  apiKey: optional(secret(string)),
  /** Its client id; random when not given. */
  clientId: optional(string),
  /** Milliseconds of real time without a request after which it is forgotten; default an hour. */
  idleMs: optional(between(1, longestIdleMs)),
});
/** What a world is made with, over HTTP. */
export interface NewWorld extends Readonly<Fields<typeof newWorld>> {}

export const madeWorld = part({
  name: string,
  /** What opens it: for all calls of the service and for its controls. */
  apiKey: string,
  clientId: string,
  /** Where clients reach it, which is where they reach the emulator. */
  baseUrl: url,
  /** Where browsers reach it. */
  url,
  /** The variables with which an application uses it. */
  env: opaqueAs<Readonly<Record<string, string>>>(),
  /** When it was made, by the emulator's own clock. */
  createdAt: timestamp,
  /** Milliseconds of real time without a request after which it is forgotten. */
  idleMs: integer,
});
/** A world that was made in the emulator. */
export interface MadeWorld extends Readonly<Fields<typeof madeWorld>> {}

/** The worlds that were made in an emulator. */
export interface MadeWorlds {
  /** @throws {Refusal} 409 for a name, a key or a client id that is taken, 422 for what cannot be. */
  create(options: NewWorld): Promise<MadeWorld>;
  list(): readonly MadeWorld[];
  /** @throws {Refusal} 404. */
  get(name: string): MadeWorld;
  /** @throws {Refusal} 404. */
  forget(name: string): void;
}
