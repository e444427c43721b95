import type { Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes, publicService, whereabouts } from './run.js';

const ada = ['bearer', 599, 'ada@northwind.test', 'ada@northwind.test'];
const refused = { kind: 'ResponseBodyError', status: 400 };

const libraries: Readonly<Record<string, Readonly<Record<string, { value?: unknown; error?: unknown }>>>> = {
  'openid-client': {
    'the endpoints are discovered': {
      value: ['/user_management/authorize', '/user_management/authenticate', '/sso/jwks/client_sallyport_emulator'],
    },
    'with the secret in the body': { value: ada },
    'with the secret in the header': { value: ada },
    'with the secret and a proof': { value: ada },
    'without a secret, by a proof alone': { value: ada },
    'with a wrong secret': { error: refused },
  },
  oauth4webapi: {
    'single sign-on with the secret in the body': { value: ['ada@northwind.test', 'bearer'] },
    'single sign-on with the secret in the header': { value: ['ada@northwind.test', 'bearer'] },
    'single sign-on by a proof alone': { value: ['ada@northwind.test', 'bearer'] },
    'the hosted page with the secret in the body': { value: ['bruno@northwind.test', null] },
    'the hosted page with the secret in the header': { value: ['bruno@northwind.test', null] },
    'a refusal': { error: refused },
  },
  jose: {
    'a token is verified': { value: 'user_bruno' },
    'a token of the next key is verified after a rotation': { value: ['user_bruno', 'user_bruno'] },
    'the certificate of each key holds the key': {
      value: [
        [true, true, true],
        [true, true, true],
      ],
    },
    'a token of a key that was retired is refused': { error: { code: 'ERR_JWKS_NO_MATCHING_KEY' } },
  },
};

for (const [library, steps] of Object.entries(libraries))
  requires('node22', installed(library))(`${library} against the emulator`, () => {
    let emulator: Emulator;
    let outcomes: Outcomes;

    beforeAll(async () => {
      emulator = await publicService('examples/company.yaml');
      outcomes = await drive(`${library}.mjs`, library, whereabouts(emulator));
    });
    afterAll(() => emulator?.close());

    test.each(Object.entries(steps))('%s', (step, outcome) => {
      expect(outcomes[step]).toMatchObject(outcome);
    });
  });
