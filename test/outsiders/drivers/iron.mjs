// iron-session and @hapi/iron open what this package seals, and seal what it opens.
import { load, report } from './outcomes.mjs';

const { OUTSIDER, SEALED, PASSWORD } = process.env;
const ironSession = await load(OUTSIDER, 'iron-session');
const { default: iron } = await load(OUTSIDER, '@hapi/iron');
const data = { accessToken: 'at_1', refreshToken: 'rt_1', user: { id: 'user_ada' } };

await report({
  'iron-session opens our seal': () => ironSession.unsealData(SEALED, { password: PASSWORD }),
  '@hapi/iron opens our seal': () => iron.unseal(SEALED.replace(/~2$/, ''), PASSWORD, iron.defaults),
  'iron-session with another password opens nothing': () =>
    ironSession.unsealData(SEALED, { password: `${PASSWORD}!` }),
  '@hapi/iron with another password refuses': () =>
    iron.unseal(SEALED.replace(/~2$/, ''), `${PASSWORD}!`, iron.defaults),
  'iron-session seals': () => ironSession.sealData(data, { password: PASSWORD, ttl: 0 }),
  // With the name of the password and the mark of the version, which packages for sessions always write.
  '@hapi/iron seals': async () => `${await iron.seal(data, { id: '1', secret: PASSWORD }, iron.defaults)}~2`,
});
