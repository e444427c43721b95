import { expect, test } from 'vitest';
import { plainCopy } from '../../../src/emulator/seed/plain.js';
import { takesLong } from '../../runner/requirements.js';

takesLong('a seed', () => {
  test('can contain a million users', () => {
    const user = { idp_id: '', email: '', first_name: '', last_name: '', username: '', job_title: '' };
    const users = Array.from({ length: 1_000_000 }, () => ({ ...user, custom_attributes: { cost_center: '' } }));

    const copy = plainCopy({ users }) as { readonly users: readonly object[] };

    expect(copy.users).toHaveLength(1_000_000);
    expect(copy.users.at(-1)).toEqual(users[0]);
  });
});
