import { describe, expect, test } from 'vitest';
import { createClock, createEmulator } from '../../../src/emulator/index.js';
// The console declares the slot "live" when the first request loads its pages.
import '../../../src/emulator/console/live.js';
import { declaredSlots } from '../../../src/emulator/world/memory.js';
import { stage } from '../../stage.js';

const seed = {
  organizations: [{ name: 'Acme' }],
  users: [{ email: 'ada@acme.test', password: 'correct horse' }],
  invitations: [{ email: 'grace@acme.test' }],
};

/** The organizations, users and password hashes that a seed has created. */
const planted = (emulator: Awaited<ReturnType<typeof createEmulator>>) => {
  const { organization, user, password } = emulator.snapshot().worlds.staging!;
  return { organization, user, password };
};

describe('a reset', () => {
  test('restores the seeded objects with the same ids and password hashes', async () => {
    const { emulator, send } = await stage({ seed, ids: undefined });
    const first = planted(emulator);
    const [[id]] = first.organization as unknown as [[string]];
    await send(`PUT /organizations/${id}`, { name: 'Changed' });
    await send('POST /organizations', { name: 'Later' });

    await emulator.reset();

    expect(planted(emulator)).toEqual(first);
    expect((await send(`GET /organizations/${id}`)).body.name).toBe('Acme');
  });

  test('restarts the sequence of generated ids if the emulator has an id seed', async () => {
    const { emulator, send } = await stage({ seed });
    const make = async () => (await send('POST /organizations', { name: 'Later' })).body.id;
    const first = await make();
    await make();

    await emulator.reset();

    expect(await make()).toBe(first);
  });

  test('renews the expiry of seeded invitations if the seed was first loaded days ago', async () => {
    let now = Date.parse('2026-01-01T00:00:00.000Z');
    const emulator = await createEmulator({ seed, clock: createClock(undefined, () => now) });
    const expiry = () => {
      const [[, invitation]] = emulator.snapshot().worlds.staging!.invitation as [[string, { expiresAt: string }]];
      return invitation.expiresAt;
    };
    expect(expiry()).toBe('2026-01-08T00:00:00.000Z');

    now += 8 * 86_400_000;
    await emulator.reset();

    expect(expiry()).toBe('2026-01-16T00:00:00.000Z');
  });
});

test('worlds with the same seed share the seeded records, but not later changes', async () => {
  const { emulator, send } = await stage({ seed, ids: undefined });
  const one = await emulator.worlds.create();
  const other = await emulator.worlds.create();
  const organizationsOf = (world: typeof one) => world.snapshot().worlds.staging!.organization!;

  expect(organizationsOf(one)[0]![1]).toBe(organizationsOf(other)[0]![1]);
  await send('POST /organizations', { name: 'Of one' }, { authorization: `Bearer ${one.credentials.apiKey}` });

  expect([one, other].map((world) => organizationsOf(world).length)).toEqual([2, 1]);
  await one.restore(other.snapshot());
  expect(organizationsOf(one)).toHaveLength(1);
});

test("every part of a world's state is stored unless the part declares a reason to stay in memory", () => {
  const unsaved = [...declaredSlots.values()].flatMap(({ name, unsavedReason }) =>
    unsavedReason === undefined ? [] : [name],
  );

  // State that stays in memory only. A new entry needs a good reason.
  expect(unsaved.sort()).toMatchInlineSnapshot(`
    [
      "deliveries",
      "event waits",
      "faults",
      "idempotency",
      "live",
      "planted seed",
      "rate limiter",
      "requests",
      "signing key ring",
    ]
  `);
});
