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
import {
  receive,
  signStandardWebhook,
  signWebhook,
  verifyStandardWebhook,
  verifyWebhook,
  webhookHandler,
} from 'sallyport/webhooks';
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

const remoteWorlds = ({ url, fetch, adminKey }: World['emulator'], key = adminKey) =>
  worldsAt({ baseUrl: url, fetch, adminKey: key });

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
  row('receive InvalidArgumentError', 'no request', 'invalid_argument', () =>
    // The type forbids it.
    receive({} as Request, { secrets: 'whsec_0123456789' }),
  ),
  row('receive ConfigurationError', 'no bytes at all', 'invalid_option', () =>
    receive(request, { secrets: 'whsec_0123456789', maxBytes: 0 }),
  ),
  row('webhookHandler ConfigurationError', 'no handler', 'invalid_option', () =>
    // The type demands one.
    webhookHandler({ secrets: 'whsec_0123456789' } as never),
  ),
  row('verifyStandardWebhook WebhookVerificationError', 'no headers', 'webhook_verification_failed', () =>
    verifyStandardWebhook({ payload: '{}', headers: {}, secret: 'whsec_c2VjcmV0' }),
  ),
  row('signStandardWebhook InvalidArgumentError', 'an id with a point', 'invalid_argument', () =>
    signStandardWebhook({ payload: '{}', id: 'msg.1', secret: 'whsec_c2VjcmV0', timestamp: 0 }),
  ),
  row('RemoteWorlds.create Refusal', 'a wrong administrator key', 'unknown_admin_key', ({ emulator }) =>
    remoteWorlds(emulator, 'ak_not_this_one').create(),
  ),
  row('RemoteWorlds.get Refusal', 'a name that no world has', 'entity_not_found', ({ emulator }) =>
    remoteWorlds(emulator).get('nobody'),
  ),
  row('RemoteWorlds.forget Refusal', 'a name that no world has', 'entity_not_found', ({ emulator }) =>
    remoteWorlds(emulator).forget('nobody'),
  ),
  row('testWorlds ConfigurationError', 'an address without the administrator key', 'invalid_option', () =>
    testWorlds({ url: 'http://localhost:4100' }),
  ),
  row('TestWorlds.create Refusal', 'a name that another world has', 'name_taken', async ({ emulator }) => {
    const worlds = testWorlds({ emulator, name: 'mine' });
    await worlds.create();
    await worlds.create();
  }),
  row('TestWorlds.emulator ConfigurationError', 'an emulator that runs elsewhere', 'invalid_option', () =>
    testWorlds({ url: 'http://localhost:4100', adminKey: 'ak_12345678' }).emulator(),
  ),
  row('TestClock.now ConfigurationError', 'an emulator that runs elsewhere', 'invalid_option', async ({ emulator }) => {
    const worlds = testWorlds({ url: await emulator.listen(), adminKey: emulator.adminKey });
    return (await worlds.create()).clock.now();
  }),
  row('TestWorld.signInAs Refusal', 'an unknown user', 'entity_not_found', async ({ emulator }) =>
    (await testWorlds({ emulator }).create()).signInAs('user_gone'),
  ),
  row('TestWorld.expectEvent Refusal', 'an event that does not come', 'no_event', async ({ emulator }) =>
    (await testWorlds({ emulator }).create()).expectEvent('user.created', {}, { timeoutMs: 0 }),
  ),
  row('TestWorld.expectNoRequests SallyportError', 'a request', 'unexpected_requests', async ({ emulator }) => {
    const { credentials, expectNoRequests, fetch } = await testWorlds({ emulator }).create();
    await expectNoRequests(() => new Sallyport({ ...credentials, fetch }).organizations.listOrganizations());
  }),
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
  row('Emulator.listen ConfigurationError', 'a certificate that is none', 'invalid_option', ({ emulator }) =>
    emulator.listen(0, '127.0.0.1', { https: { cert: 'none', key: 'none' } }),
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
