import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator } from 'sallyport/emulator';
import {
  createSessionReader,
  createSessions,
  createTokenVerifier,
  type SessionsOptions,
  sessionCache,
} from 'sallyport/session';
import { signWebhook, verifyWebhook } from 'sallyport/webhooks';
import { cookiePassword, type Row, redirectUri, type World } from './world.js';

const row = (claim: string, when: string, code: string, provoke: Row['provoke']): Row => ({
  claim,
  when,
  code,
  provoke,
});

const request = new Request('http://localhost:3000/');
const sessionsOf = ({ emulator }: World, more: Partial<SessionsOptions> = {}) =>
  createSessions({ ...emulator.credentials, fetch: emulator.fetch, password: cookiePassword, ...more });

export const entryRows = [
  row('createSessions ConfigurationError', 'a short password', 'invalid_option', (world) =>
    sessionsOf(world, { password: 'short' }),
  ),
  row('createTokenVerifier ConfigurationError', 'a tolerance of an hour', 'invalid_option', ({ emulator }) =>
    createTokenVerifier({ ...emulator.credentials, clockToleranceSec: 3_600 }),
  ),
  row('createSessionReader ConfigurationError', 'a short password', 'invalid_option', ({ emulator }) =>
    createSessionReader({ ...emulator.credentials, password: 'short' }),
  ),
  row('sessionCache ConfigurationError', 'a bound below 0', 'invalid_option', () => sessionCache({ maxEntries: -1 })),
  row('Sessions.create SallyportError', 'a user with a novel', 'session_too_large', async (world) => {
    await world.user();
    const tokens = await world.signIn();
    const metadata = { novel: 'x'.repeat(12_000) };
    return sessionsOf(world).create({ ...tokens, user: { ...tokens.user, metadata } });
  }),
  row('Sessions.startSignIn InvalidArgumentError', 'two ways to sign in', 'invalid_argument', (world) =>
    sessionsOf(world, { redirectUri }).startSignIn(request, { connectionId: 'conn_1', organizationId: 'org_1' }),
  ),
  row('Sessions.startSignIn ConfigurationError', 'no redirectUri', 'invalid_option', (world) =>
    sessionsOf(world).startSignIn(request),
  ),
  row('Sessions.signOut InvalidArgumentError', 'a path', 'invalid_argument', (world) =>
    sessionsOf(world).signOut(request, { returnTo: '/goodbye' }),
  ),
  row('Sessions.route InvalidArgumentError', 'a path to end up at', 'invalid_argument', (world) =>
    sessionsOf(world).route({ ...request, url: '/sign-out', method: 'POST' }, { afterSignOut: '/goodbye' }),
  ),
  row('Sessions.route ConfigurationError', 'no redirectUri', 'invalid_option', (world) =>
    sessionsOf(world).route({ ...request, url: '/sign-in' }),
  ),
  row('verifyWebhook WebhookVerificationError', 'a signature of others', 'webhook_verification_failed', () =>
    verifyWebhook({ payload: '{}', sigHeader: 't=1, v1=00', secret: 'whsec_0123456789' }),
  ),
  row('signWebhook InvalidArgumentError', 'half a millisecond', 'invalid_argument', () =>
    signWebhook({ payload: '{}', secret: 'whsec_0123456789', timestamp: 0.5 }),
  ),
  row('createEmulator ConfigurationError', 'a seed that is not there', 'invalid_seed', () =>
    createEmulator({ seed: 'no-such-seed.yaml' }),
  ),
  row('createEmulator ConfigurationError', 'a state file in a folder that is not there', 'invalid_state', () =>
    createEmulator({ state: 'no-such-folder/emulator.state' }),
  ),
  row('createEmulator EmulatorError', 'a state file that another emulator has', 'state_in_use', () =>
    withStateFolder(async (folder) => {
      const emulator = await createEmulator({ state: join(folder, 'emulator.state') });
      await createEmulator({ state: join(folder, 'emulator.state') }).finally(() => emulator.close());
    }),
  ),
  row('Emulator.close EmulatorError', 'a state file whose folder has gone', 'state_not_written', () =>
    withStateFolder(async (folder) => {
      const emulator = await createEmulator({ state: join(folder, 'emulator.state') });
      rmSync(folder, { recursive: true });
      await emulator.reset();
      await emulator.close();
    }),
  ),
  row('Emulator.listen EmulatorError', 'a second call', 'already_listening', async ({ emulator }) => {
    await emulator.listen(0);
    return emulator.listen(0);
  }),
  row('Emulator.listen EmulatorError', 'a closed emulator', 'closed', async ({ emulator }) => {
    await emulator.close();
    return emulator.listen(0);
  }),
];

async function withStateFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
  await act(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}
