// Configuration: settings from the environment, options that override them, and a setting that is missing.
//
//   npx tsx examples/configuration.ts

import { isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, createTokenVerifier } from 'sallyport/session';

const emulator = await createEmulator({ dialect: 'workos' });
await emulator.listen();
// In production, your platform sets these variables.
Object.assign(process.env, emulator.env);

// Every setting comes from the environment.
const sallyport = new Sallyport();
const sessions = createSessions();
const tokens = createTokenVerifier();

const acme = await sallyport.organizations.createOrganization({ name: 'Acme' });
console.log('created', acme.name, 'with the key of the environment');
console.log((await sessions.handle({ headers: {} })).status, (await tokens.verifyAccessToken(null)).status);

// An option wins over its variable.
const other = new Sallyport({ apiKey: 'sk_test_another_environment', maxRetries: 0 });
const code = await other.organizations.getOrganization(acme.id).then(
  () => 'found',
  (error: unknown) => (isSallyportError(error) ? error.code : 'unknown'),
);
console.log('with another key:', code);

// A missing setting is reported by the first call, not by the constructor.
delete process.env.SALLYPORT_API_KEY;
const incomplete = new Sallyport();
try {
  await incomplete.organizations.getOrganization(acme.id);
} catch (error) {
  if (!isSallyportError(error)) throw error;
  console.log(error.code, error.message);
}

await emulator.close();
