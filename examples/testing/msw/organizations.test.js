import { http } from 'msw';
import { setupServer } from 'msw/node';
import { Sallyport } from 'sallyport';
import { mswHandlers, testWorlds } from 'sallyport/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

// URL that the application calls. MSW intercepts the requests.
const baseUrl = 'https://api.example.com';

const worlds = testWorlds();
const server = setupServer();
const world = worlds.during({ beforeEach, afterEach });
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => server.resetHandlers(...mswHandlers(http, world(), baseUrl)));
afterAll(async () => {
  server.close();
  await worlds.close();
});

test('what the application creates is there', async () => {
  const sallyport = new Sallyport({ ...world().credentials, baseUrl });

  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });

  expect((await sallyport.organizations.getOrganization(id)).name).toBe('Acme');
  await world().expectEvent('organization.created', { name: 'Acme' });
});

test('and is not there for the next test', async () => {
  const sallyport = new Sallyport({ ...world().credentials, baseUrl });

  expect((await sallyport.organizations.listOrganizations()).data).toEqual([]);
});
