import { checkOption } from '../../errors/check-option.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { Refusal } from '../world/refusal.js';
import { isLoopback } from './loopback.js';

/** Where an emulator that listens is reached; every option is optional. */
export interface HostOptions {
  /**
   * The address at which browsers and clients reach the emulator, where that is another one than it listens on: behind a
   * proxy, or in a container. It is what `emulator.url`, links in emails and the issuer of tokens begin with.
   */
  readonly publicUrl?: string | undefined;
  /** Further host names under which pages open and all requests over HTTP are answered: `['emulator']` for another container's browser. */
  readonly allowHosts?: readonly string[] | undefined;
}

/**
 * Names that no website can have: addresses, names without a dot, which containers of one network call each other by, and
 * those below `internal`.
 */
const unregistrable = /^(?:\[.*\]|\d+(?:\.\d+){3}|[^.]+|.+\.internal)$/;

/**
 * The names under which an emulator that listens answers. A website can have its own name lead to this machine (DNS
 * rebinding); what the browser then sends still carries that name.
 */
export class Hosts {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(hostnameOf));
  }

  /** Why a request is not answered at all: it was sent to the name of a website, or a page of one sends it. */
  refusalOf(request: Request, { mayRead }: { readonly mayRead: boolean }): Refusal | undefined {
    const name = this.#strangersIn(request).find((name) => !unregistrable.test(name));
    if (name !== undefined)
      return refusal('host_not_allowed', `The emulator does not answer to the name ${name}`, name);
    const origin = request.headers.get('origin');
    if (origin === null || mayRead || this.#isOwn(parsedUrl(origin)?.hostname)) return undefined;
    return refusal(
      'origin_not_allowed',
      `The emulator does not answer to pages of ${origin}`,
      parsedUrl(origin)?.hostname,
    );
  }

  /** Why pages do not open under the name that a request was sent to. */
  refusalOfPage(request: Request): Refusal | undefined {
    const [name] = this.#strangersIn(request);
    return name === undefined
      ? undefined
      : refusal('host_not_allowed', `The pages of the emulator open at localhost or 127.0.0.1, not at ${name}`, name);
  }

  /**
   * Why the console and the controls do not answer a request: a page of another origin sent it. Such a page may only link to
   * pages of the console. Browsers send no Origin with images and with `fetch` without CORS, but they send `Sec-Fetch-Site`.
   */
  refusalOfOtherOrigin({ method, headers }: Request, { isPage }: { readonly isPage: boolean }): Refusal | undefined {
    const site = headers.get('sec-fetch-site');
    if (site === null || site === 'same-origin' || site === 'none') return undefined;
    const isLink =
      method === 'GET' && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
    if (isPage && isLink) return undefined;
    return refusal('origin_not_allowed', 'The emulator does not answer to pages of other origins here', undefined);
  }

  /** The name in the header and the one in the address, which need not be the same (RFC 9112, section 3.2.2), unless known. */
  #strangersIn(request: Request): readonly string[] {
    const names = [hostnameOf(request.headers.get('host') ?? ''), new URL(request.url).hostname];
    return names.filter((name) => !this.#isOwn(name));
  }

  #isOwn(name: string | undefined): boolean {
    return name ? isLoopback(name) || this.#names.has(name) : false;
  }
}

/** A host name as browsers write it; empty for what is none. */
const hostnameOf = (host: string): string =>
  parsedUrl(`http://${host.includes('::') && !host.startsWith('[') ? `[${host}]` : host}`)?.hostname ?? '';

const refusal = (code: string, what: string, name: string | undefined): Refusal =>
  new Refusal(
    403,
    code,
    `${what}, so that no website gets at it from a browser on this machine.${name ? ` If that is yours, start the emulator with --allow-host ${name}, or createEmulator with allowHosts: ['${name}']` : ''}`,
  );

/** Check where an emulator is reached. @throws {ConfigurationError} `invalid_option`. */
export function hostSettingsOf({ publicUrl, allowHosts = [] }: HostOptions): {
  readonly publicUrl: string | undefined;
  readonly names: readonly string[];
} {
  const url = publicUrl === undefined ? undefined : parsedUrl(publicUrl);
  checkOption(
    publicUrl === undefined || (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`),
    'publicUrl of createEmulator',
    'must be an address without a path, such as https://emulator.acme.test',
  );
  checkOption(
    Array.isArray(allowHosts) && allowHosts.every(isHostname),
    'allowHosts of createEmulator',
    'must list host names without scheme and port, such as emulator or app.acme.test',
  );
  return { publicUrl: url?.origin, names: url ? [url.hostname, ...allowHosts] : allowHosts };
}

const isHostname = (name: unknown): boolean =>
  typeof name === 'string' && /^(?:[\w.-]+|\[?[\da-f:.]+\]?)$/i.test(name) && hostnameOf(name) !== '';
