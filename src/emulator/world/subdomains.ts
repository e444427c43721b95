import { parsedUrl } from '../../http/parsed-url.js';

/** Subdomains of created worlds: the name of the world below `localhost`, which is always this machine. */
export class Subdomains {
  readonly #emulatorHosts: ReadonlySet<string>;
  readonly #bases: readonly string[];

  /** @param names Host names of the emulator, that of its public address first. */
  constructor(names: readonly string[]) {
    this.#emulatorHosts = new Set(['localhost', inProcess, ...names]);
    const below = names.filter((name) => name.endsWith('.localhost'));
    this.#bases = [...below, 'localhost'].map((name) => `.${name}`);
  }

  /** Get the name of the world whose address a request was sent to. Undefined for the emulator's own address. */
  nameIn(request: Request): string | undefined {
    const { url, headers } = request;
    const [host = ''] = url.slice(url.indexOf('://') + 3).split(/[/?#]/, 1);
    return this.#nameOf(host) ?? this.#nameOf(headers.get('host') ?? '');
  }

  #nameOf(host: string): string | undefined {
    if (!host.includes('.localhost')) return undefined;
    const hostname = host.replace(/:\d*$/, '').toLowerCase();
    if (this.#emulatorHosts.has(hostname)) return undefined;
    const base = this.#bases.find((one) => hostname.endsWith(one));
    return base && hostname.slice(0, -base.length);
  }
}

/** Host of an emulator that does not listen. */
const inProcess = 'emulator.localhost';

/** Address of an emulator that does not listen. Names below `localhost` never leave the machine. */
export const unreachableUrl = `http://${inProcess}`;

/** Get the address of a created world: a subdomain of `localhost`, or the emulator's address if that is another host. */
export function subdomainUrl(emulatorUrl: string, name: string): string {
  if (emulatorUrl === unreachableUrl) return `http://${name}.localhost`;
  const { protocol, hostname, port } = new URL(emulatorUrl);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  const base = isHere ? 'localhost' : hostname;
  if (base !== 'localhost' && !base.endsWith('.localhost')) return emulatorUrl;
  return `${protocol}//${name}.${base}${port && `:${port}`}`;
}

/** Whether a name is a host name label that URL parsers leave unchanged. */
export const isLabel = (name: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) &&
  parsedUrl(`http://${name}.localhost`)?.hostname === `${name}.localhost` &&
  `${name}.localhost` !== inProcess;
