import { redactor } from '../../errors/index.js';
import { printableCause, reasonOf } from '../../errors/printable-cause.js';
import { checkedBaseUrl } from '../../http/base-url.js';
import { BodyTooLarge, checkedResponse, discard, readBody } from '../../http/body.js';
import type { Fetch } from '../../http/fetch.js';
import { adviceFor } from '../../http/fetch-advice.js';
import { isRecord, isText, parsedJson } from '../../http/json.js';
import { Codec } from '../../service/describe/codec.js';
import { dialects } from '../../service/describe/dialect.js';
import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { EmulatorError, EmulatorRefusal, unprocessableField } from '../store/refusal.js';
import { maxSnapshotBytes } from '../store/snapshot.js';
import { sourceHeader } from './answer.js';
import { type ControlSet, type NamedControl, namedControlsOf, parametersOf } from './control.js';
import { nestedByName } from './nested.js';

/** Address of a remote emulator, and the API key of the world to control. */
export interface RemoteWorld {
  /** Base URL of the emulator. */
  readonly baseUrl: string;
  /** The API key of the world. */
  readonly apiKey: string;
  /** Sends the requests; default the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Allow plain `http:` to hosts other than this machine. */
  readonly allowInsecure?: boolean | undefined;
}

const codec = new Codec(dialects.spec);

/** Create methods that call controls over HTTP. */
export const remoteMethodsOf = (controls: ControlSet, world: RemoteWorld): Readonly<Record<string, unknown>> =>
  nestedByName(
    namedControlsOf(controls).map((named) => [
      named.name,
      async (...values: readonly unknown[]) => {
        const { control, operation } = named;
        const count = parametersOf(operation.path).length;
        const rest = values.slice(count);
        const payload = control.positional
          ? Object.fromEntries(control.positional.map((one, at) => [one, rest[at]]))
          : rest[0];
        const answer = await sendControl(world, named, values.slice(0, count), payload);
        try {
          // An answer that is not JSON, such as a file, is returned as it is.
          return control.answer ? answer : decode(operation, answer);
        } catch (cause) {
          throw unreachable(world, notAnEmulator, cause);
        }
      },
    ]),
  );

/**
 * Send the request of a control. Returns the text of a file, the value of JSON, or undefined for an empty body. Does not follow redirects,
 * which could send the key and the body to another server.
 *
 * @throws {EmulatorRefusal}
 * @throws {EmulatorError} `unreachable`.
 * @throws {ConfigurationError} `invalid_base_url` or `insecure_base_url`.
 */
export async function sendControl(
  world: RemoteWorld,
  { control, operation: { method, path, io } }: NamedControl,
  pathValues: readonly unknown[],
  payload: unknown,
): Promise<unknown> {
  const { apiKey, fetch = globalThis.fetch } = world;
  const { baseUrl } = checkedBaseUrl(world.baseUrl, world.allowInsecure);
  let at = 0;
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => segmentOf(name, pathValues[at++]));
  const description = io.body ?? io.query;
  const encoded = description && codec.encode(descriptorOf(description), payload ?? {});
  const url = `${baseUrl}${filled}${io.query && encoded ? queryOf(encoded) : ''}`;
  const response = checkedResponse(
    // Some test environments have no fetch.
    await connected(world, async () =>
      fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(io.body && { 'content-type': 'application/json' }),
        },
        ...(io.body && { body: JSON.stringify(encoded) }),
        redirect: 'manual',
      }),
    ),
  );
  const { status } = response;
  if (response.headers.get(sourceHeader) === null) {
    discard(response);
    const isRedirect = response.type === 'opaqueredirect' || (status > 299 && status < 400);
    throw unreachable(
      world,
      isRedirect
        ? 'Another server answered, with a redirect, which is not followed because it could send your key elsewhere'
        : `Another server answered, with status ${status}`,
    );
  }
  // No answer is larger than a snapshot that can be restored.
  const text = new TextDecoder().decode(await connected(world, () => readBody(response, maxSnapshotBytes)));
  if (status < 300 && (control.answer || text === '')) return text || undefined;
  const value = parsedJson(text);
  if (status < 300 && value !== undefined) return value;
  if (status > 399 && isRecord(value) && isText(value.code) && isText(value.message)) {
    const { code, message, ...fields } = value;
    throw new EmulatorRefusal(status, String(code), String(message), fields);
  }
  throw unreachable(world, notAnEmulator);
}

const notAnEmulator = 'The server there does not answer like an emulator of this version';

/** Wait for a request or its body. @throws {EmulatorError} `unreachable`, with the reason. */
async function connected<T>(world: RemoteWorld, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (cause) {
    const why = cause instanceof BodyTooLarge ? `It ${cause.message}` : `The request failed: ${reasonOf(cause)}`;
    throw unreachable(world, why, cause);
  }
}

/** Encode a path parameter. An empty one, `.` and `..` would name another path. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value);
  if (/^\.{0,2}$/.test(text)) throw unprocessableField(name, 'invalid_value', 'must not be empty, . or ..');
  return encodeURIComponent(text);
}

function decode({ kind, io }: Operation, answer: unknown): unknown {
  if (kind === 'nothing' || answer === undefined || answer === null || io.returns === undefined) return undefined;
  const descriptor = descriptorOf(io.returns);
  if (kind !== 'data') return codec.decode(descriptor, answer);
  // Lists are wrapped in an object.
  return (answer as { readonly data: readonly unknown[] }).data.map((one) => codec.decode(descriptor, one));
}

/** Build the query string of the fields that are set. */
function queryOf(fields: unknown): string {
  const entries = Object.entries(fields as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

function unreachable({ baseUrl, apiKey }: RemoteWorld, why: string, cause?: unknown): EmulatorError {
  const clean = redactor([apiKey]);
  return new EmulatorError(
    'unreachable',
    {
      what: `No emulator is reachable at ${baseUrl}`,
      why: clean(why),
      next: adviceFor(cause, 'Start one with npx sallyport emulator, or correct the address'),
    },
    { cause: printableCause(cause, clean) },
  );
}
