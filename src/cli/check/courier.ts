import {
  Codec,
  dialects,
  grantTypeOf,
  isObject,
  operations,
  pathOf,
  publicStatusOf,
} from '../../emulator/command-line.js';
import { redact } from '../../errors/index.js';
import { reasonOf } from '../../errors/printable-cause.js';
import { CommandError } from '../command-error.js';
import { type AllowedOperation, type MakingOperation, removals } from './allowed.js';
import { compareBody } from './differences.js';
import { NotTried } from './finding.js';
import { admit } from './gate.js';
import type { Ledger, Made } from './ledger.js';
import type { Clock, Settings } from './settings.js';

/** The parts of a request, with the names of the wire. */
export interface Sent {
  readonly params?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
}

/** The answer of the service. */
export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  /** The parsed body; empty if it is not an object. */
  readonly body: Readonly<Record<string, unknown>>;
}

const timeoutMs = 20_000;

/** Sends the requests of the check, each through the gate, and compares each response with its description. */
export class Courier {
  /** The differences of each operation that was called. */
  readonly compared = new Map<AllowedOperation, Set<string>>();
  /** Addresses and sessions that this run may use, besides the objects in the ledger. */
  readonly own = new Set<string>();
  /** Values that must never be printed. */
  readonly secrets: Set<string>;
  readonly #codec: Codec;
  readonly #underWay = new Set<Promise<unknown>>();
  #isRemoving = false;

  constructor(
    readonly settings: Settings,
    readonly ledger: Ledger,
    readonly clock: Clock,
  ) {
    this.#codec = new Codec(settings.dialect);
    this.secrets = new Set([settings.apiKey]);
  }

  /** `fetch` for the sessions of this package, with the same gate. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    return this.#deliver(
      request.url,
      request.method,
      request.method === 'GET' ? '' : await request.text(),
      request.headers,
    );
  };

  /** Call an operation, and compare a response of success with its description. */
  async send(id: AllowedOperation, { params = [], query, body, idempotencyKey }: Sent = {}): Promise<Answer> {
    const { apiKey, baseUrl, clientId, dialect } = this.settings;
    const operation = operations[id]!;
    const { auth, grant } = operation.io;
    const rest = [...params];
    const path = pathOf(operation, dialect).replace(/:\w+/g, () => encodeURIComponent(rest.shift() ?? ''));
    const credentials = grant && {
      client_id: clientId,
      client_secret: apiKey,
      grant_type: grantTypeOf(grant, dialect),
    };
    const response = await this.#deliver(
      `${baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      operation.method,
      body || grant ? JSON.stringify({ ...credentials, ...body }) : '',
      new Headers({
        accept: 'application/json',
        ...(auth ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body || grant ? { 'content-type': 'application/json' } : {}),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      }),
    );
    return this.#answer(id, response);
  }

  /** Call an operation that must succeed. Otherwise its status and code are a difference. @throws {NotTried} It failed. */
  async expect(id: AllowedOperation, sent?: Sent): Promise<Answer['body']> {
    const { ok, status, body } = await this.send(id, sent);
    if (ok) return body;
    const happened = `status ${status}${codeOf(body) && `, code ${codeOf(body)}`}`;
    this.#differencesOf(id).add(happened);
    throw new NotTried(`${id} answered with ${happened}`);
  }

  /** Check that the service accepts the API key, before anything is made. @throws {CommandError} */
  async checkKey(): Promise<void> {
    const { status } = await this.send('organizations.list', { query: { limit: '1' } });
    if (status !== 401) return;
    throw new CommandError(
      `${this.settings.host} does not accept the API key. Check that SALLYPORT_API_KEY belongs to this environment.`,
    );
  }

  /** Make an object, which the ledger notes before and after it. @throws {NotTried} It was not made. */
  async make(
    id: MakingOperation,
    name: string,
    sent: Sent,
  ): Promise<{ readonly id: string; readonly body: Answer['body'] }> {
    const { made, note } = this.ledger.plan(id, name);
    const answer = await this.send(id, sent);
    if (answer.ok && typeof answer.body.id === 'string') {
      note(answer.body.id);
      return { id: answer.body.id, body: answer.body };
    }
    // After a 5xx, the object may exist.
    if (answer.status >= 400 && answer.status < 500) this.ledger.remove(made);
    const happened = answer.ok
      ? 'no id'
      : `status ${answer.status}${codeOf(answer.body) && `, code ${codeOf(answer.body)}`}`;
    if (!answer.ok) this.#differencesOf(id).add(happened);
    throw new NotTried(`${id} answered with ${happened}`);
  }

  /** Remove an object that this run has made. Returns whether it is gone. */
  async remove(made: Made): Promise<boolean> {
    if (made.id === undefined) return false;
    const answer = await this.send(removals[made.operation], { params: [made.id] });
    const isGone = answer.ok || answer.status === 404;
    if (isGone) this.ledger.remove(made);
    return isGone;
  }

  /** Finish the requests under way, and then allow requests that remove objects, even after a signal. */
  async startRemoving(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.#isRemoving = true;
  }

  /** Remove all secrets of this run from a text, and what could move the cursor. */
  withoutSecrets(text: string): string {
    return redact(text, this.secrets);
  }

  async #deliver(address: string, method: string, text: string, headers: Headers): Promise<Response> {
    const { baseUrl, dialect } = this.settings;
    const url = new URL(address);
    if (!address.startsWith(`${baseUrl}/`)) throw new Error(`The check may not send requests to ${url.host}`);
    const body: unknown = text ? JSON.parse(text) : {};
    const passing = {
      method,
      path: url.pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, '').length),
      query: url.searchParams,
      body: isObject(body) ? body : {},
    };
    const id = admit(passing, dialect, (one) => this.own.has(one) || this.ledger.has(one));
    if (!this.#isRemoving) this.clock.signal.throwIfAborted();
    const response = fetch(url, {
      method,
      headers,
      ...(text ? { body: text } : {}),
      // Following a redirect would send the key to its target.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause) => {
      throw new CommandError(
        `${url.host} did not answer ${id}: ${reasonOf(cause)}. Check SALLYPORT_BASE_URL and your network.`,
      );
    });
    this.#underWay.add(response);
    return response.finally(() => this.#underWay.delete(response));
  }

  async #answer(id: AllowedOperation, response: Response): Promise<Answer> {
    const { status } = response;
    const ok = status >= 200 && status < 300;
    const text = await response.text();
    const parsed = parsedJson(text);
    if (ok) {
      const operation = operations[id]!;
      const said = this.settings.dialect === dialects.workos ? publicStatusOf(operation) : (operation.io.status ?? 200);
      const { differences, secrets } = compareBody(operation, this.#codec, parsed);
      for (const secret of secrets) this.secrets.add(secret);
      const all = this.#differencesOf(id);
      if (status !== said) all.add(`status ${status} instead of ${said}`);
      for (const one of differences) all.add(one);
    }
    return { status, ok, body: Array.isArray(parsed) ? { data: parsed } : isObject(parsed) ? parsed : {} };
  }

  #differencesOf(id: AllowedOperation): Set<string> {
    const known = this.compared.get(id) ?? new Set();
    this.compared.set(id, known);
    return known;
  }
}

/** Return the code of an error of the service, or an empty string. */
export const codeOf = (body: Answer['body']): string => String(body.code ?? body.error ?? '');

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
