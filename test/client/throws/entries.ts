import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sallyport } from 'sallyport';
import { createEmulator, worldsAt } from 'sallyport/emulator';
import {
  createSessionReader,
  createSessions,
  createTokenVerifier,
  type SessionsOptions,
  sessionCache,
} from 'sallyport/session';
import { testWorlds } from 'sallyport/testing';
import { receive, signWebhook, verifyWebhook, webhookHandler } from 'sallyport/webhooks';
import { company } from '../../stage.js';
import { cookiePassword, redirectUri, rowsOf, type World } from './world.js';

const request = new Request('http://localhost:3000/');
const sessionsOf = ({ emulator }: World, more: Partial<SessionsOptions> = {}) =>
  createSessions({ ...emulator.credentials, fetch: emulator.fetch, cookiePassword, ...more });

const remoteWorlds = ({ url, fetch, adminKey }: World['emulator']) => worldsAt({ baseUrl: url, fetch, adminKey });

export const entryRows = [
  ...rowsOf('', {
    'createSessions ConfigurationError invalid_option': (world) => sessionsOf(world, { cookiePassword: 'short' }),
    'createTokenVerifier ConfigurationError invalid_option': ({ emulator }) =>
      createTokenVerifier({ clientId: 'client_1', baseUrl: emulator.url, clockToleranceMs: 3_600_000 }),
    'createSessionReader ConfigurationError invalid_option': ({ emulator }) =>
      createSessionReader({ clientId: emulator.credentials.clientId, cookiePassword: 'short' }),
    'sessionCache ConfigurationError invalid_option': () => sessionCache({ maxEntries: -1 }),
    'SessionReader.read InvalidArgumentError invalid_argument': (world) =>
      sessionsOf(world).read(new Request('https://app.example.com/') as unknown as string),
    'Sessions.startSignIn InvalidArgumentError invalid_argument': (world) =>
      sessionsOf(world, { redirectUri }).startSignIn(request, { connectionId: 'conn_1', organizationId: 'org_1' }),
    'Sessions.startSignIn ConfigurationError invalid_option': (world) => sessionsOf(world).startSignIn(request),
    'Sessions.signOut InvalidArgumentError invalid_argument': (world) =>
      sessionsOf(world).signOut(request, { returnTo: '/goodbye' }),
    'Sessions.route InvalidArgumentError invalid_argument': (world) =>
      sessionsOf(world).route({ ...request, url: '/sign-out', method: 'POST' }, { afterSignOut: '/goodbye' }),
    'Sessions.route ConfigurationError invalid_option': (world) =>
      sessionsOf(world).route({ ...request, url: '/sign-in' }),
    'verifyWebhook WebhookVerificationError webhook_verification_failed': () =>
      verifyWebhook({ payload: '{}', sigHeader: 't=1, v1=00', secret: 'whsec_0123456789' }),
    'signWebhook InvalidArgumentError invalid_argument': () =>
      signWebhook({ payload: '{}', secret: 'whsec_0123456789', timestamp: 0.5 }),
    'receive InvalidArgumentError invalid_argument': () =>
      // The types forbid it.
      receive({} as Request, { secret: 'whsec_0123456789' }),
    'receive ConfigurationError invalid_option': () => receive(request, { secret: 'whsec_0123456789', maxBytes: 0 }),
    'webhookHandler ConfigurationError invalid_option': () =>
      // The types require it.
      webhookHandler({ secret: 'whsec_0123456789' } as never),
    'administratorControls.worlds.create EmulatorRefusal name_taken': async ({ emulator }) => {
      await remoteWorlds(emulator).create({ name: 'mine' });
      await remoteWorlds(emulator).create({ name: 'mine' });
    },
    'administratorControls.worlds.get EmulatorRefusal entity_not_found': ({ emulator }) =>
      remoteWorlds(emulator).get('nobody'),
    'administratorControls.worlds.forget EmulatorRefusal entity_not_found': ({ emulator }) =>
      remoteWorlds(emulator).forget('nobody'),
    'testWorlds ConfigurationError invalid_option': () => testWorlds({ url: 'http://localhost:4100' }),
    'TestWorlds.create EmulatorRefusal name_taken': async ({ emulator }) => {
      const worlds = testWorlds({ emulator, name: 'mine' });
      await worlds.create();
      await worlds.create();
    },
    'TestWorlds.emulator ConfigurationError invalid_option': () =>
      testWorlds({ url: 'http://localhost:4100', adminKey: 'ak_12345678' }).emulator(),
    'TestClock.now ConfigurationError invalid_option': async ({ emulator }) => {
      const worlds = testWorlds({ url: await emulator.listen(), adminKey: emulator.adminKey });
      return (await worlds.create()).clock.now();
    },
    'TestWorld.signInAs EmulatorRefusal entity_not_found': async ({ emulator }) =>
      (await testWorlds({ emulator }).create()).signInAs('user_gone'),
    'TestWorld.expectEvent EmulatorRefusal no_event': async ({ emulator }) =>
      (await testWorlds({ emulator }).create()).expectEvent('user.created', {}, { timeoutMs: 0 }),
    'TestWorld.expectNoRequests SallyportError unexpected_requests': async ({ emulator }) => {
      const { credentials, expectNoRequests, fetch } = await testWorlds({ emulator }).create();
      await expectNoRequests(() => new Sallyport({ ...credentials, fetch }).organizations.listOrganizations());
    },
    'createEmulator ConfigurationError invalid_seed': () => createEmulator({ seed: 'no-such-seed.yaml' }),
    'createEmulator ConfigurationError invalid_state': () => createEmulator({ state: 'no-such-folder/emulator.state' }),
    'createEmulator EmulatorError state_in_use': () =>
      withStateFolder(async (folder) => {
        const emulator = await createEmulator({ state: join(folder, 'emulator.state') });
        await createEmulator({ state: join(folder, 'emulator.state') }).finally(() => emulator.close());
      }),
    'Emulator.close EmulatorError state_not_written': () =>
      withStateFolder(async (folder) => {
        const emulator = await createEmulator({ state: join(folder, 'emulator.state') });
        rmSync(folder, { recursive: true });
        await emulator.reset();
        await emulator.close();
      }),
    'Emulator.listen ConfigurationError invalid_option': ({ emulator }) =>
      emulator.listen(0, '127.0.0.1', { https: { cert: 'none', key: 'none' } }),
    'Emulator.listen EmulatorError already_listening': async ({ emulator }) => {
      await emulator.listen(0);
      return emulator.listen(0);
    },
    'Emulator.listen EmulatorError closed': async ({ emulator }) => {
      await emulator.close();
      return emulator.listen(0);
    },
  }),
  ...rowsOf(
    '',
    {
      'Sessions.create SallyportError session_too_large': async (world) => {
        const tokens = await world.signIn();
        const metadata = { novel: 'x'.repeat(12_000) };
        return sessionsOf(world).create({ ...tokens, user: { ...tokens.user, metadata } });
      },
    },
    { seed: company },
  ),
];

async function withStateFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
  await act(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}
