import { inspect } from 'node:util';
import { serve } from '@hono/node-server';
import { application } from '../application.js';
import type { Settings } from '../settings.js';

declare const SETTINGS: Settings;

const print = (value: unknown): string => inspect(value, { depth: 20, showHidden: true });

serve({ fetch: application(SETTINGS, print), port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(JSON.stringify({ port })),
);
