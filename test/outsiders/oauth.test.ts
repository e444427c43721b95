import type { Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes, publicService, whereabouts } from './run.js';

const ada = ['bearer', 599, 'ada@northwind.test', 'ada@northwind.test'];
const refused = { kind: 'ResponseBodyError', status: 400 };

const libraries: Readonly<Record<string, Readonly<Record<string, { value?: unknown; error?: unknown }>>>> = {
  'openid-client': {
    'discovers the endpoints': {
      value: ['/user_management/authorize', '/user_management/authenticate', '/sso/jwks/client_sallyport_emulator'],
    },
    'signs in with the secret in the body': { value: ada },
    'signs in with the secret in the header': { value: ada },
    'signs in with the secret and a code verifier': { value: ada },
    'signs in with only a code verifier': { value: ada },
    'gets an error for a wrong secret': { error: refused },
  },
  oauth4webapi: {
    'signs in with SSO and the secret in the body': { value: ['ada@northwind.test', 'bearer'] },
    'signs in with SSO and the secret in the header': { value: ['ada@northwind.test', 'bearer'] },
    'signs in with SSO and only a code verifier': { value: ['ada@northwind.test', 'bearer'] },
    'signs in at the hosted page with the secret in the body': { value: ['bruno@northwind.test', null] },
    'signs in at the hosted page with the secret in the header': { value: ['bruno@northwind.test', null] },
    'gets an error from the service': { error: refused },
  },
  jose: {
    'verifies a token': { value: 'user_bruno' },
    'verifies a token signed with the next key after a rotation': { value: ['user_bruno', 'user_bruno'] },
    'gets a certificate that matches each key': {
      value: [
        [true, true, true],
        [true, true, true],
      ],
    },
    'rejects a token signed with a retired key': { error: { code: 'ERR_JWKS_NO_MATCHING_KEY' } },
  },
};

for (const [library, steps] of Object.entries(libraries))
  requires('node22', installed(library))(`${library} with the emulator`, () => {
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
