import { http } from 'msw';
import { setupServer } from 'msw/node';
import { Sallyport } from 'sallyport';
import { mswHandlers, testWorlds } from 'sallyport/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';

captureWarnings();

vi.setConfig({ testTimeout: 20_000 });

/** Creates a world that answers requests to a base URL through MSW. */
async function worldWithMsw(baseUrl?: string) {
  const worlds = testWorlds();
  const testWorld = await worlds.create();
  const server = setupServer(...mswHandlers(http, testWorld, baseUrl));
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(async () => {
    server.close();
    await worlds.close();
  });
  return testWorld;
}

test("mswHandlers() forwards an application's service requests to a world", async () => {
  const { credentials } = await worldWithMsw('https://api.example.com');
  const sallyport = new Sallyport({ ...credentials, baseUrl: 'https://api.example.com' });

  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });

  expect((await sallyport.organizations.getOrganization(id)).name).toBe('Acme');
});

test("mswHandlers() forwards only requests for the emulator's URL by default", async () => {
  const { credentials } = await worldWithMsw();

  const organizations = await new Sallyport(credentials).organizations.listOrganizations();
  const elsewhere = new Sallyport({ ...credentials, baseUrl: 'https://api.example.com', maxRetries: 0 });

  expect(organizations.data).toEqual([]);
  await expect(elsewhere.organizations.listOrganizations()).rejects.toThrow();
});
