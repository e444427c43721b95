import { parsedUrl } from '../../http/parsed-url.js';

/** Where browsers reach the worlds that were made: each under its name, below a name that is this machine's in any case. */
export class Labels {
  readonly #own: ReadonlySet<string>;
  readonly #bases: readonly string[];

  /** `names` are those of the emulator itself, that of its public address first. */
  constructor(names: readonly string[]) {
    this.#own = new Set(['localhost', inProcess, ...names]);
    const below = names.filter((name) => name.endsWith('.localhost'));
    this.#bases = [...below, 'localhost'].map((name) => `.${name}`);
  }

  /** The name of the world that a request is sent to; undefined where it is sent to the emulator's own address. */
  nameIn(request: Request): string | undefined {
    const { url, headers } = request;
    const [host = ''] = url.slice(url.indexOf('://') + 3).split(/[/?#]/, 1);
    return this.#nameOf(host) ?? this.#nameOf(headers.get('host') ?? '');
  }

  #nameOf(host: string): string | undefined {
    if (!host.includes('.localhost')) return undefined;
    const hostname = host.replace(/:\d*$/, '').toLowerCase();
    if (this.#own.has(hostname)) return undefined;
    const base = this.#bases.find((one) => hostname.endsWith(one));
    return base && hostname.slice(0, -base.length);
  }
}

/** The host of an emulator that does not listen. */
const inProcess = 'emulator.localhost';

/** Address of an emulator that does not listen. Names under `localhost` never leave the machine. */
export const unreachableUrl = `http://${inProcess}`;

/** The address of a world for browsers: its name before that of this machine; the emulator's own where that is another one. */
export function labelledUrl(emulatorUrl: string, name: string): string {
  if (emulatorUrl === unreachableUrl) return `http://${name}.localhost`;
  const { protocol, hostname, port } = new URL(emulatorUrl);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  const base = isHere ? 'localhost' : hostname;
  if (base !== 'localhost' && !base.endsWith('.localhost')) return emulatorUrl;
  return `${protocol}//${name}.${base}${port && `:${port}`}`;
}

/** Whether a text is a label of a host name, and reads the same to whoever parses it. */
export const isLabel = (name: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) &&
  parsedUrl(`http://${name}.localhost`)?.hostname === `${name}.localhost` &&
  `${name}.localhost` !== inProcess;
