import { Sallyport } from 'sallyport';
import { beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes } from './run.js';

const password = 'a password of more than 32 characters';
const data = { accessToken: 'at_1', refreshToken: 'rt_1', user: { id: 'user_ada' } };
const { userManagement } = new Sallyport({ clientId: 'client_42', baseUrl: 'http://localhost:4100' });

requires('node22', installed('iron'))('a seal in the Iron format', () => {
  let outcomes: Outcomes;

  beforeAll(async () => {
    const sealed = await userManagement.sealData(data, { password });
    outcomes = await drive('iron.mjs', 'iron', { SEALED: sealed, PASSWORD: password });
  });

  test.each(['iron-session', '@hapi/iron'])('created by Sallyport can be opened by %s', (library) => {
    expect(outcomes[`${library} opens our seals`]).toEqual({ value: data });
  });

  test('created by Sallyport cannot be opened with a wrong password', () => {
    expect(outcomes['iron-session with another password opens nothing']).toEqual({ value: {} });
    expect(outcomes['@hapi/iron with another password refuses']).toMatchObject({
      error: { message: 'Bad hmac value' },
    });
  });

  test.each(['iron-session', '@hapi/iron'])('created by %s can be opened by Sallyport', async (library) => {
    const seal = outcomes[`${library} creates seals`]?.value as string;

    expect(await userManagement.unsealData(seal, { password })).toEqual(data);
  });
});
