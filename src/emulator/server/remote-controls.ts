import { Codec } from '../../service/describe/codec.js';
import { dialects } from '../../service/describe/dialect.js';
import { descriptorOf, type Operation } from '../../service/describe/operation.js';
import { EmulatorError, Refusal } from '../world/refusal.js';
import { type ControlSet, namedControlsOf, parametersOf } from './control.js';
import { nestedByName } from './nested.js';

/** Where an emulator is that runs elsewhere, and the key of the world whose controls are called. */
export interface RemoteWorld {
  /** Address of the emulator. */
  readonly baseUrl: string;
  /** The API key of the world. */
  readonly apiKey: string;
  /** Sends the requests; default: the runtime's own. */
  readonly fetch?: typeof fetch | undefined;
}

const codec = new Codec(dialects.spec);

/** Controls as methods that call them over HTTP. */
export const remoteMethodsOf = (controls: ControlSet, world: RemoteWorld): Readonly<Record<string, unknown>> =>
  nestedByName(
    namedControlsOf(controls).map(({ name, control, operation }) => [
      name,
      async (...values: readonly unknown[]) => {
        const count = parametersOf(operation.path).length;
        const rest = values.slice(count);
        const payload = control.spread ? Object.fromEntries(control.spread.map((one, at) => [one, rest[at]])) : rest[0];
        return call(world, operation, values.slice(0, count), payload);
      },
    ]),
  );

async function call(
  { baseUrl, apiKey, fetch = globalThis.fetch }: RemoteWorld,
  { method, path, kind, io }: Operation,
  pathValues: readonly unknown[],
  payload: unknown,
): Promise<unknown> {
  let at = 0;
  const filled = path.replace(/:[a-z_]+/g, () => encodeURIComponent(String(pathValues[at++])));
  const url = `${baseUrl.replace(/\/$/, '')}${filled}`;
  const description = io.body ?? io.query;
  const encoded = description && codec.encode(descriptorOf(description), payload ?? {});
  const response = await fetch(io.query && encoded ? `${url}${queryOf(encoded)}` : url, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(io.body && { 'content-type': 'application/json' }),
    },
    ...(io.body && { body: JSON.stringify(encoded) }),
  }).catch((cause: unknown) => {
    throw unreachable(baseUrl, 'The request failed', cause);
  });
  const text = await response.text();
  if (response.headers.get('sallyport-emulator') === null)
    throw unreachable(baseUrl, `Something else answered, with status ${response.status}`);
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
  if (!response.ok) throw refusalOf(response.status, answer);
  if (kind === 'nothing' || answer === undefined || answer === null || io.returns === undefined) return undefined;
  const descriptor = descriptorOf(io.returns);
  if (kind !== 'data') return codec.decode(descriptor, answer);
  // What a control lists is in an envelope.
  return (answer as { readonly data: readonly unknown[] }).data.map((one) => codec.decode(descriptor, one));
}

/** What is given of a query, as text behind an address. */
function queryOf(fields: unknown): string {
  const given = Object.entries(fields as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** The refusal that an answer tells of, as it is thrown in process. */
function refusalOf(status: number, answer: unknown): Refusal {
  const { code, message, ...fields } = answer as Readonly<Record<string, unknown>>;
  return new Refusal(status, String(code), String(message), fields);
}

const unreachable = (baseUrl: string, why: string, cause?: unknown): EmulatorError =>
  new EmulatorError(
    'unreachable',
    {
      what: `No emulator answers at ${baseUrl}`,
      why,
      next: 'Start one with npx sallyport emulator, or correct the address',
    },
    { cause },
  );
