// iron-session and @hapi/iron open the seals of this package, and create seals.
import { load, report } from './outcomes.mjs';

const { OUTSIDER, SEALED, PASSWORD } = process.env;
const ironSession = await load(OUTSIDER, 'iron-session');
const { default: iron } = await load(OUTSIDER, '@hapi/iron');
const data = { accessToken: 'at_1', refreshToken: 'rt_1', user: { id: 'user_ada' } };

await report({
  'iron-session opens our seals': () => ironSession.unsealData(SEALED, { password: PASSWORD }),
  '@hapi/iron opens our seals': () => iron.unseal(SEALED.replace(/~2$/, ''), PASSWORD, iron.defaults),
  'iron-session with another password opens nothing': () =>
    ironSession.unsealData(SEALED, { password: `${PASSWORD}!` }),
  '@hapi/iron with another password refuses': () =>
    iron.unseal(SEALED.replace(/~2$/, ''), `${PASSWORD}!`, iron.defaults),
  'iron-session creates seals': () => ironSession.sealData(data, { password: PASSWORD, ttl: 0 }),
  // With the password id and the version suffix, which session packages always write.
  '@hapi/iron creates seals': async () => `${await iron.seal(data, { id: '1', secret: PASSWORD }, iron.defaults)}~2`,
});
