// End sessions when they are revoked, not only when their access tokens expire.
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { followRevocations } from 'sallyport/streams';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

// In production, use redisStore(redis) or postgresStore(pool), shared by all replicas.
const revocations = followRevocations(sallyport, { store: memoryStore(), pollMs: 100, storePollMs: 50 });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'a cookie password of 32 characters or more',
  revocations,
});
// Wait until it is ready before serving requests.
console.log(await revocations.ready());

// Ada signs in.
const credentials = { email: 'ada@example.com', password: 'analytical-engine' };
await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
const tokens = await sallyport.userManagement.authenticateWithPassword(credentials);
const cookie = (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
const { session } = await sessions.handle({ headers: { cookie } });
console.log(session?.user.email);

// Her session is revoked, for example in the dashboard.
await sallyport.userManagement.revokeSession({ sessionId: session?.sessionId ?? '' });

// Her access token has not expired, but the session has ended.
while ((await sessions.handle({ headers: { cookie } })).status === 'active')
  await new Promise((resolve) => setTimeout(resolve, 50));
const { status, ...rest } = await sessions.handle({ headers: { cookie } });
console.log(status, 'reason' in rest ? rest.reason : '');
console.log(revocations.health().ok);

await revocations.close();
await emulator.close();
