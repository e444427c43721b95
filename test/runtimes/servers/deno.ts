import { application } from '../application.js';
import type { Settings } from '../settings.js';

declare const SETTINGS: Settings;
/** The part of Deno that this file uses. */
declare const Deno: {
  inspect(value: unknown, options: object): string;
  serve(options: object, handler: (request: Request) => Promise<Response>): unknown;
};

const print = (value: unknown): string => Deno.inspect(value, { depth: 20, showHidden: true });
const onListen = ({ port }: { readonly port: number }): void => console.log(JSON.stringify({ port }));

Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, application(SETTINGS, print));
