import { Sallyport } from 'sallyport';
import type { Emulator } from 'sallyport/emulator';
import { createSessionReader, type SessionReader } from 'sallyport/session';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes, publicService, whereabouts } from './run.js';

const cookiePassword = 'a password of more than 32 characters';

for (const outsider of ['incumbent-11', 'incumbent-10', 'incumbent-9', 'next'])
  requires('node22', installed(outsider))(
    `a session cookie shared with ${outsider === 'next' ? 'the WorkOS package for Next.js' : outsider.replace(/incumbent-(.+)/, 'version $1 of the WorkOS SDK')}`,
    () => {
      let emulator: Emulator;
      let outcomes: Outcomes;
      let reader: SessionReader;
      const read = async (sealed: unknown) => {
        const { session, ...result } = await reader.read(`wos-session=${sealed}`);
        return [result.status, session?.user.email];
      };

      beforeAll(async () => {
        emulator = await publicService('examples/company.yaml');
        const { clientId } = emulator.credentials;
        const sealing = await new Sallyport(emulator.credentials).userManagement.authenticateWithPassword({
          email: 'bruno@northwind.test',
          password: 'a quiet harbour at dawn',
          session: { sealSession: true, cookiePassword },
        });
        reader = createSessionReader({ dialect: 'workos', baseUrl: emulator.url, clientId, cookiePassword });
        const sealed = { SEALED: String(sealing.sealedSession), PASSWORD: cookiePassword };
        outcomes = await drive('cookies.mjs', outsider, { ...whereabouts(emulator), ...sealed });
      });
      afterAll(() => emulator?.close());

      test('sealed by Sallyport can be opened by @workos-inc/node, but only with the same password', () => {
        expect(outcomes['node opens']).toEqual({ value: [true, 'bruno@northwind.test'] });
        expect(outcomes['node opens with another password']).toEqual({ value: [false, 'invalid_session_cookie'] });
      });

      test("sealed by @workos-inc/node can be opened by Sallyport's reader", async () => {
        expect(await read(outcomes['node seals']?.value)).toEqual(['active', 'bruno@northwind.test']);
        expect(await read(`${outcomes['node seals']?.value}x`)).toEqual(['signed_out', undefined]);
      });

      if (outsider !== 'next') return;
      test('can be opened and sealed by @workos/authkit-session', async () => {
        const [email, sealed] = (outcomes['authkit-session opens and seals']?.value ?? []) as unknown[];

        expect(email).toBe('bruno@northwind.test');
        expect(await read(sealed)).toEqual(['active', 'bruno@northwind.test']);
      });
    },
  );
