import { http } from 'msw';
import { setupServer } from 'msw/node';
import { Sallyport } from 'sallyport';
import { mswHandlers, testWorlds } from 'sallyport/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';

captureWarnings();

vi.setConfig({ testTimeout: 20_000 });

/** A world that answers what is sent to an address. */
async function world(baseUrl?: string) {
  const worlds = testWorlds();
  const made = await worlds.create();
  const server = setupServer(...mswHandlers(http, made, baseUrl));
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(async () => {
    server.close();
    await worlds.close();
  });
  return made;
}

test('MSW has a world answer what the application sends to the service', async () => {
  const { credentials } = await world('https://api.example.com');
  const sallyport = new Sallyport({ ...credentials, baseUrl: 'https://api.example.com' });

  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });

  expect((await sallyport.organizations.getOrganization(id)).name).toBe('Acme');
});

test('MSW answers at the address of the emulator when none is given, and nowhere else', async () => {
  const { credentials } = await world();

  const organizations = await new Sallyport(credentials).organizations.listOrganizations();
  const elsewhere = new Sallyport({ ...credentials, baseUrl: 'https://api.example.com', maxRetries: 0 });

  expect(organizations.data).toEqual([]);
  await expect(elsewhere.organizations.listOrganizations()).rejects.toThrow();
});
