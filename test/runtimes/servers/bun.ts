import { application } from '../application.js';
import type { Settings } from '../settings.js';

declare const SETTINGS: Settings;
/** The part of Bun that this file uses. */
declare const Bun: {
  inspect(value: unknown, options: object): string;
  serve(options: object): { readonly port: number };
};

const print = (value: unknown): string => Bun.inspect(value, { depth: 20 });

const { port } = Bun.serve({ fetch: application(SETTINGS, print), port: 0, hostname: '127.0.0.1' });
console.log(JSON.stringify({ port }));
