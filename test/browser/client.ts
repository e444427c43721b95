import type { BrowserClientOptions as PublicOptions } from 'sallyport/browser';
import { BrowserClient } from '../../src/browser/client.js';
import type { BrowserEnvironment } from '../../src/browser/environment.js';

/** Options of a client in a browser that the test has made. */
export interface BrowserClientOptions extends PublicOptions {
  readonly environment?: Partial<BrowserEnvironment> | undefined;
}

/** Create the client of an application in a browser that the test has made. */
export const createBrowserClient = ({ environment, ...options }: BrowserClientOptions): BrowserClient =>
  new BrowserClient(options, environment);
