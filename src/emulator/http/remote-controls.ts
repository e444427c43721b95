import type { Fetch } from '../../http/fetch.js';
import { adviceFor } from '../../http/fetch-advice.js';
import { Codec } from '../../service/describe/codec.js';
import { dialects } from '../../service/describe/dialect.js';
import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { EmulatorError, Refusal, unprocessableField } from '../store/refusal.js';
import { type ControlSet, namedControlsOf, parametersOf } from './control.js';
import { nestedByName } from './nested.js';

/** Address of a remote emulator, and the API key of the world to control. */
export interface RemoteWorld {
  /** Base URL of the emulator. */
  readonly baseUrl: string;
  /** The API key of the world. */
  readonly apiKey: string;
  /** Sends the requests; default the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

const codec = new Codec(dialects.spec);

/** Create methods that call controls over HTTP. */
export const remoteMethodsOf = (controls: ControlSet, world: RemoteWorld): Readonly<Record<string, unknown>> =>
  nestedByName(
    namedControlsOf(controls).map(({ name, control, operation }) => [
      name,
      async (...values: readonly unknown[]) => {
        const count = parametersOf(operation.path).length;
        const rest = values.slice(count);
        const payload = control.positional
          ? Object.fromEntries(control.positional.map((one, at) => [one, rest[at]]))
          : rest[0];
        const text = await sendControl(world, operation, values.slice(0, count), payload);
        // An answer that is not JSON, such as a file, is returned as it is.
        return control.answer ? text : decode(operation, text);
      },
    ]),
  );

/** Send the request of a control, and return the text of the response. @throws {Refusal} @throws {EmulatorError} `unreachable`. */
export async function sendControl(
  { baseUrl, apiKey, fetch = globalThis.fetch }: RemoteWorld,
  { method, path, io }: Operation,
  pathValues: readonly unknown[],
  payload: unknown,
): Promise<string> {
  let at = 0;
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => segmentOf(name, pathValues[at++]));
  const url = `${baseUrl.replace(/\/$/, '')}${filled}`;
  const description = io.body ?? io.query;
  const encoded = description && codec.encode(descriptorOf(description), payload ?? {});
  const init = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(io.body && { 'content-type': 'application/json' }),
    },
    ...(io.body && { body: JSON.stringify(encoded) }),
  };
  // Some test environments have no fetch.
  const send = async () => fetch(io.query && encoded ? `${url}${queryOf(encoded)}` : url, init);
  const response = await send().catch((cause: unknown) => {
    throw unreachable(baseUrl, 'The request failed', cause);
  });
  const text = await response.text();
  if (response.headers.get('sallyport-emulator') === null)
    throw unreachable(baseUrl, `Another server answered, with status ${response.status}`);
  if (response.status > 299) throw refusalFrom(response.status, JSON.parse(text));
  return text;
}

/** Encode a path parameter. An empty one, `.` and `..` would name another path. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value);
  if (/^\.{0,2}$/.test(text)) throw unprocessableField(name, 'invalid_value', 'must not be empty, . or ..');
  return encodeURIComponent(text);
}

function decode({ kind, io }: Operation, text: string): unknown {
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
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

/** Recreate the `Refusal` that the control would throw in process. */
function refusalFrom(status: number, answer: unknown): Refusal {
  const { code, message, ...fields } = answer as Readonly<Record<string, unknown>>;
  return new Refusal(status, String(code), String(message), fields);
}

const unreachable = (baseUrl: string, why: string, cause?: unknown): EmulatorError =>
  new EmulatorError(
    'unreachable',
    {
      what: `No emulator is reachable at ${baseUrl}`,
      why,
      next: adviceFor(cause, 'Start one with npx sallyport emulator, or correct the address'),
    },
    { cause },
  );
