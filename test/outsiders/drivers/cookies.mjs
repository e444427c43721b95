// The packages of WorkOS open a session that Sallyport has sealed, and seal one.
import { load, report } from './outcomes.mjs';

const { OUTSIDER, SERVICE, API_KEY, CLIENT_ID, SEALED, PASSWORD } = process.env;
const { WorkOS } = await load(OUTSIDER, '@workos-inc/node');
const { hostname, port } = new URL(SERVICE);
const { userManagement } = new WorkOS(API_KEY, {
  clientId: CLIENT_ID,
  apiHostname: hostname,
  https: false,
  port: Number(port),
});
const open = async (cookiePassword) => {
  const { authenticated, reason, user } = await userManagement
    .loadSealedSession({ sessionData: SEALED, cookiePassword })
    .authenticate();
  return [authenticated, reason ?? user.email];
};

await report({
  'node opens': () => open(PASSWORD),
  'node opens with another password': () => open(`${PASSWORD}!`),
  'node seals': async () => {
    const { sealedSession } = await userManagement.authenticateWithPassword({
      clientId: CLIENT_ID,
      email: 'bruno@northwind.test',
      password: 'a quiet harbour at dawn',
      session: { sealSession: true, cookiePassword: PASSWORD },
    });
    return sealedSession;
  },
  'authkit-session opens and seals': async () => {
    const { sessionEncryption } = await load(OUTSIDER, '@workos/authkit-session');
    const data = await sessionEncryption.unsealData(SEALED, { password: PASSWORD });
    return [data.user.email, await sessionEncryption.sealData(data, { password: PASSWORD })];
  },
});
