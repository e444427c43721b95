import { Sallyport } from 'sallyport';
import { beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes } from './run.js';

const password = 'a password of more than 32 characters';
const data = { accessToken: 'at_1', refreshToken: 'rt_1', user: { id: 'user_ada' } };
const { userManagement } = new Sallyport({ clientId: 'client_42', baseUrl: 'http://localhost:4100' });

requires('node22', installed('iron'))('with seals in the Iron format,', () => {
  let outcomes: Outcomes;

  beforeAll(async () => {
    const sealed = await userManagement.sealData(data, { password });
    outcomes = await drive('iron.mjs', 'iron', { SEALED: sealed, PASSWORD: password });
  });

  test.each(['iron-session opens our seals', '@hapi/iron opens our seals'])('%s', (step) => {
    expect(outcomes[step]).toEqual({ value: data });
  });

  test('both packages reject a wrong password', () => {
    expect(outcomes['iron-session with another password opens nothing']).toEqual({ value: {} });
    expect(outcomes['@hapi/iron with another password refuses']).toMatchObject({
      error: { message: 'Bad hmac value' },
    });
  });

  test.each(['iron-session creates seals', '@hapi/iron creates seals'])('%s that Sallyport opens', async (step) => {
    expect(await userManagement.unsealData(outcomes[step]?.value as string, { password })).toEqual(data);
  });
});
