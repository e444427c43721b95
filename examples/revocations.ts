// Sessions that end when they are revoked, and not only when their tokens end.
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { followRevocations } from 'sallyport/streams';

const emulator = await createEmulator();
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

// In production: redisStore(redis) or postgresStore(pool), which all replicas share.
const revocations = followRevocations(sallyport, { store: memoryStore(), pollMs: 100, storePollMs: 50 });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  password: 'a cookie password of 32 characters or more',
  revocations,
});
// Before the first request.
console.log(await revocations.ready());

// Ada signs in.
const credentials = { email: 'ada@example.com', password: 'analytical-engine' };
await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
const tokens = await sallyport.userManagement.authenticateWithPassword(credentials);
const cookie = (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
const { session } = await sessions.handle({ headers: { cookie } });
console.log(session?.user.email);

// Somebody ends her session in the dashboard.
await sallyport.userManagement.revokeSession({ sessionId: session?.sessionId ?? '' });

// Her token is good for minutes yet, but the session is over.
while ((await sessions.handle({ headers: { cookie } })).status === 'active')
  await new Promise((resolve) => setTimeout(resolve, 50));
const { status, ...rest } = await sessions.handle({ headers: { cookie } });
console.log(status, 'reason' in rest ? rest.reason : '');
console.log(revocations.health().ok);

await revocations.close();
await emulator.close();
