import { browse } from '../session/browse.js';
import type { Jar } from '../session/jar.js';

/** The headers of a browser that opens a page. */
const navigation = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** The headers of a request from a script of a page. */
export const script = {
  accept: '*/*',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
};

/** Sends requests to an application as a browser would, for races, headers and outages. It does not follow redirects. */
export class Client {
  constructor(
    /** The URL of the application. */
    readonly home: string,
    /** The cookies that it sends and keeps. */
    readonly jar: Jar,
  ) {}

  /** Opens a page. The given headers replace those of a browser. */
  async opens(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send('GET', path, { ...navigation, ...headers });
  }

  /** Fetches like a script. */
  async fetches(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send('GET', path, { ...script, ...headers });
  }

  /** Sends a request like a program that is not a browser. */
  async calls(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
    return this.#send(method, path, headers);
  }

  /** Posts an empty form. */
  async posts(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send('POST', path, {
      ...navigation,
      'sec-fetch-site': 'same-origin',
      origin: new URL(this.home).origin,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '0',
      ...headers,
    });
  }

  /** Starts a request, and leaves reading the answer to the caller. */
  async begins(path: string): Promise<Response> {
    const response = await browse(new URL(path, this.home).href, { ...navigation, ...this.jar.headers });
    this.jar.keep(response.headers);
    return response;
  }

  async #send(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await browse(new URL(path, this.home).href, { ...this.jar.headers, ...headers }, method);
    this.jar.keep(response.headers);
    const { status } = response;
    const text = await response.text();
    return {
      status,
      headers: response.headers,
      text,
      says: [...text.matchAll(/<p>(.*?)<\/p>/gs)].map(([, said = '']) => said.replaceAll(/<!--.*?-->/gs, '')),
      setsCookies: response.headers.getSetCookie(),
    };
  }
}

/** The body of the answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The texts of the paragraphs in the answer. */
  readonly says: readonly string[];
  readonly setsCookies: readonly string[];
}
