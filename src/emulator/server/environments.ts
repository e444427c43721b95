import type { Raw } from '../world/parser.js';
import { conflict, Refusal } from '../world/refusal.js';
import type { SavedWorld } from '../world/store.js';
import type { World } from '../world/world.js';
import type { Labels } from './labels.js';
import { Names } from './names.js';

/** Fields of a query or form that name something of one world: a sign-in, a link, a session. */
const naming = ['authorization', 'token', 'session_id'];

/** The API key in the header of a request, or another bearer token. */
export const bearerOf = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** What a request without an API key in its header says about the world that it is for. */
export interface Clues {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly raw: Raw;
  readonly request: Request;
}

/** An environment, as requests find it. */
export interface Enrolment {
  readonly clientId: string;
  /** The label under which browsers reach it; undefined for those that were there from the start. */
  readonly name?: string | undefined;
  /** Its world as it is now; undefined until it is opened. */
  readonly world: () => World | undefined;
  /** Called whenever a request is for it. */
  readonly onRequest?: (() => void) | undefined;
}

/** The environments of an emulator, each found by what is its own: API keys, a client id, a label. */
export class Environments {
  readonly #labels: Labels;
  /** In the order in which they were enrolled; the first is what requests without any clue are about. */
  readonly #all = new Set<Enrolment>();
  readonly #byKey = new Map<string, Enrolment>();
  readonly #byClient = new Map<string, Enrolment>();
  readonly #byName = new Map<string, Enrolment>();
  /** What worlds that were made know: of a thousand none is searched. */
  readonly #names = new Names<Enrolment>();

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  /** Let requests find an environment. Whoever calls this has made sure that its client id and its label are free. */
  enrol(one: Enrolment): void {
    this.#all.add(one);
    this.#byClient.set(one.clientId, one);
    if (one.name !== undefined) this.#byName.set(one.name, one);
  }

  /** Let no request find an environment any longer. */
  strike(one: Enrolment): void {
    this.#all.delete(one);
    this.#byClient.delete(one.clientId);
    if (one.name !== undefined) this.#byName.delete(one.name);
    for (const [key, owner] of this.#byKey) if (owner === one) this.#byKey.delete(key);
  }

  /** Remember what a new world of an environment knows; `saved` is what it begins with. */
  follow(one: Enrolment, world: World, saved: SavedWorld | undefined): void {
    this.#names.follow(one, world, saved);
  }

  /** All of them, in the order in which they were enrolled. */
  get list(): readonly Enrolment[] {
    return [...this.#all];
  }

  /** How many environments there are. */
  get size(): number {
    return this.#all.size;
  }

  /** Whether there are worlds that were made. */
  get hasMade(): boolean {
    return this.#byName.size > 0;
  }

  /** Whether an environment has this label. */
  hasName(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Whether an environment has this client id. */
  hasClient(clientId: string): boolean {
    return this.#byClient.has(clientId);
  }

  /** Keep an API key for an environment: it opens no other. @throws {Refusal} 409 where another has it. */
  claim(one: Enrolment, apiKey: string): void {
    const owner = this.#byKey.get(apiKey);
    if (owner && owner !== one && isHeld(owner, apiKey))
      throw conflict(
        'api_key_taken',
        'Another world of this emulator has this API key, and a key opens one world. Choose another key',
      );
    this.#byKey.set(apiKey, one);
  }

  /** The world that requests without any clue are about. */
  get first(): World {
    const [one] = this.#all;
    // An emulator is asked nothing before its own world is there.
    return one!.world()!;
  }

  /** Whether something holds of one of the worlds. */
  some(holds: (world: World) => boolean): boolean {
    for (const { world } of this.#all) {
      const current = world();
      if (current && holds(current)) return true;
    }
    return false;
  }

  /** The name of the world to whose address a request is sent; undefined where that is the emulator's own. */
  nameIn(request: Request): string | undefined {
    return this.#labels.nameIn(request);
  }

  /** The world with a name; undefined where there is none. */
  named(name: string): World | undefined {
    return use(this.#byName.get(name));
  }

  /** The world that an API key opens; undefined for an unknown one. */
  ofKey(apiKey: unknown): World | undefined {
    if (typeof apiKey !== 'string') return undefined;
    const world = this.#byKey.get(apiKey)?.world();
    return world?.keys.find(apiKey) ? use(this.#byKey.get(apiKey)) : undefined;
  }

  /** The world of a client; undefined for an unknown one. */
  ofClient(clientId: unknown): World | undefined {
    return typeof clientId === 'string' ? use(this.#byClient.get(clientId)) : undefined;
  }

  /** The world that a request without an API key is for: by the secret or the id of a client, or by something that one world alone knows. */
  of({ params, query, raw, request }: Clues): World {
    if (this.#all.size === 1) return this.first;
    const fields = (raw.value ?? {}) as Readonly<Record<string, unknown>>;
    const clientId = fields.client_id ?? query.get('client_id') ?? params.clientId;
    const names = [
      ...naming.flatMap((name) => [fields[name], query.get(name)]),
      ...Object.values(params),
      bearerOf(request),
    ].filter((name) => typeof name === 'string');
    return this.ofKey(fields.client_secret) ?? this.ofClient(clientId) ?? this.#whoKnows(names) ?? this.first;
  }

  #whoKnows(names: readonly string[]): World | undefined {
    for (const one of this.#all) {
      // Those that were made come after those that were there from the start.
      if (one.name !== undefined) break;
      const world = one.world();
      if (names.some((name) => world?.knows(name))) return world;
    }
    const owners = names.map((name) => this.#names.ownerOf(name));
    return use(owners.find((owner) => owner !== undefined));
  }
}

/** 404: nothing is at the address of a world that is not there. */
export const noSuchWorld = (name: string): Refusal =>
  new Refusal(
    404,
    'no_such_world',
    `The emulator has no world ${name}. It may have been forgotten, on demand or because nobody used it. Make worlds with POST /_emulator/worlds; if this is an address of the emulator itself, start it with --allow-host ${name}.localhost`,
  );

/** 403: a request at the address of one world shows the key of another. */
export const keyOfAnother = ({ name }: World): Refusal =>
  new Refusal(
    403,
    'key_of_another_world',
    `This API key opens another world than ${name}, to whose address the request was sent. Send it to the emulator's own address, or use the key of ${name}`,
  );

const use = (one: Enrolment | undefined): World | undefined => {
  one?.onRequest?.();
  return one?.world();
};

/** Whether a key that an environment once had is still its own; one that is not open yet may be about to have it. */
const isHeld = (owner: Enrolment, apiKey: string): boolean => {
  const world = owner.world();
  return world === undefined || world.keys.find(apiKey) !== undefined;
};
