import { test as base } from '@playwright/test';
import { Sallyport } from 'sallyport';
import { testWorlds } from 'sallyport/testing';
import { adminKey, password } from './secrets.js';

const { PORT = '3000', EMULATOR_PORT = '4100', TEST_PARALLEL_INDEX } = process.env;

/** Name of this worker: w0, w1, … Its world has the same name, from which the application derives the credentials. */
const name = `w${TEST_PARALLEL_INDEX}`;

const worlds = testWorlds({
  url: `http://localhost:${EMULATOR_PORT}`,
  adminKey,
  cookiePassword: password,
});

export const test = base.extend({
  world: [
    worlds.fixture({
      name,
      apiKey: `sk_test_${name}`,
      clientId: `client_${name}`,
      redirectUris: [`http://${name}.localhost:${PORT}/callback`],
      seed: { organizations: [{ id: 'org_acme', name: 'Acme' }] },
    }),
    { scope: 'worker' },
  ],
  sallyport: [({ world }, use) => use(new Sallyport(world.credentials)), { scope: 'worker' }],
  baseURL: `http://${name}.localhost:${PORT}`,
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of required fixtures from this pattern
  workerName: [async ({}, use) => use(name), { scope: 'worker' }],
});
