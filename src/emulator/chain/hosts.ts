import { hostnameOf, parsedUrl } from '../../http/parsed-url.js';
import { isLoopback } from '../http/loopback.js';
import { EmulatorRefusal } from '../store/refusal.js';

/** Public address and host names of an emulator that listens. Every option is optional. */
export interface HostOptions {
  /**
   * Public address of the emulator, if it differs from the address it listens on, such as behind a proxy or in a container.
   * `emulator.url`, links in emails and the issuer of tokens start with it.
   */
  readonly publicUrl?: string | undefined;
  /** Additional host names that the emulator answers to, such as `['emulator']` for a browser in another container. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Host names that no website can have: IP addresses, names without a dot, which containers use, and names below `internal`. */
const unregistrable = /^(?:\[.*\]|\d+(?:\.\d+){3}|[^.]+|.+\.internal)$/;

/**
 * Host names that an emulator answers to. A website can point its own name to this machine (DNS rebinding). The browser still
 * sends that name, so requests to unknown names are refused.
 */
export class Hosts {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(hostnameOf));
  }

  /** Refuse a request that was sent to the host name of a website. */
  refusalOf(request: Request): EmulatorRefusal | undefined {
    const name = this.#unknownNamesIn(request).find((name) => !unregistrable.test(name));
    return name === undefined
      ? undefined
      : refusal('host_not_allowed', `The emulator does not answer to the name ${name}`, name);
  }

  /** Whether pages of an origin are on this machine, or on a host name of the emulator. */
  knows(origin: string): boolean {
    return this.#isKnown(parsedUrl(origin)?.hostname);
  }

  /** Refuse a request of a page of another origin. */
  refusalOfOrigin(origin: string): EmulatorRefusal | undefined {
    return this.knows(origin)
      ? undefined
      : refusal(
          'origin_not_allowed',
          `The emulator does not answer to pages of ${origin}`,
          parsedUrl(origin)?.hostname,
        );
  }

  /** Refuse to open a page under an unknown host name, even one that no website can have. */
  refusalOfPage(request: Request): EmulatorRefusal | undefined {
    const [name] = this.#unknownNamesIn(request);
    return name === undefined
      ? undefined
      : refusal(
          'host_not_allowed',
          `The pages of the emulator can be opened at localhost or 127.0.0.1, but not at ${name}`,
          name,
        );
  }

  /**
   * Refuse a request from a page of another origin to the console or a control. Such a page may only link to pages of the
   * console. Browsers send no Origin for images and for `fetch` without CORS, but they send `Sec-Fetch-Site`.
   */
  refusalOfOtherOrigin(
    { method, headers }: Request,
    { isPage }: { readonly isPage: boolean },
  ): EmulatorRefusal | undefined {
    const site = headers.get('sec-fetch-site');
    if (site === null || site === 'same-origin' || site === 'none') return undefined;
    const isLink =
      method === 'GET' && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
    if (isPage && isLink) return undefined;
    return refusal('origin_not_allowed', 'The console and the controls do not answer to pages of other origins');
  }

  /** List the unknown host names in the Host header and the URL, which may differ (RFC 9112, section 3.2.2). */
  #unknownNamesIn(request: Request): readonly string[] {
    const names = [hostnameOf(request.headers.get('host') ?? ''), new URL(request.url).hostname];
    return names.filter((name) => !this.#isKnown(name));
  }

  #isKnown(name: string | undefined): boolean {
    return name ? isLoopback(name) || this.#names.has(name) : false;
  }
}

const refusal = (code: string, what: string, name?: string): EmulatorRefusal =>
  new EmulatorRefusal(
    403,
    code,
    `${what}, to keep websites from reaching it through your browser.${name ? ` If this name is yours, start the emulator with --allow-host ${name}, or pass allowHosts: ['${name}'] to createEmulator` : ''}`,
  );
