import { http } from 'msw';
import { setupServer } from 'msw/node';
import { Sallyport } from 'sallyport';
import { mswHandlers, testWorlds } from 'sallyport/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

// The application calls the public service. MSW intercepts the requests.
const keys = { apiKey: 'sk_test_application', clientId: 'client_application' };

const worlds = testWorlds({ emulator: { dialect: 'workos' }, ...keys });
const server = setupServer();
const world = worlds.during({ beforeEach, afterEach });
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => server.resetHandlers(...mswHandlers(http, world(), 'https://api.workos.com')));
afterAll(async () => {
  server.close();
  await worlds.close();
});

test('what the application creates is there', async () => {
  const sallyport = new Sallyport(keys);

  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });

  expect((await sallyport.organizations.getOrganization(id)).name).toBe('Acme');
  await world().expectEvent('organization.created', { name: 'Acme' });
});

test('and is not there for the next test', async () => {
  const sallyport = new Sallyport(keys);

  expect((await sallyport.organizations.listOrganizations()).data).toEqual([]);
});
