import { expect, test } from 'vitest';
import type { OpenEnvironment } from '../../../src/emulator/environment.js';
import { EnvironmentGroup } from '../../../src/emulator/environment-group.js';
import { emptyWorld } from '../world/empty-world.js';

test('worlds that are asked for at once take their places one after the other, as they were made', async () => {
  const steps: string[] = [];
  const environment = (name: 'staging' | 'production') =>
    // Nothing else of it has a part in that.
    ({
      name,
      make: async (_main: unknown, saved?: object) => {
        steps.push(`make ${name}${saved ? ' as saved' : ''}`);
        // A seed takes longer than a saved world.
        for (let ticks = 0; !saved && ticks < 20; ticks++) await undefined;
        return emptyWorld();
      },
      place: (_fresh: unknown, saved?: object) => steps.push(`place ${name}${saved ? ' as saved' : ''}`),
    }) as unknown as OpenEnvironment;
  const environments = [environment('staging'), environment('production')];
  const group = new EnvironmentGroup(() => environments);

  await Promise.all([group.open(), group.open({ staging: {}, production: {} })]);

  const inTurn = ['make staging', 'make production', 'place staging', 'place production'];
  expect(steps).toEqual([...inTurn, ...inTurn.map((step) => `${step} as saved`)]);
});

test('an environment that failed to open does not block the next try', async () => {
  let isBroken = true;
  const staging = {
    name: 'staging',
    make: async () => {
      if (isBroken) throw new Error('no such seed');
      return emptyWorld();
    },
    place: () => undefined,
  } as unknown as OpenEnvironment;
  const group = new EnvironmentGroup(() => [staging]);

  await expect(group.open()).rejects.toThrow('no such seed');
  isBroken = false;
  await expect(group.open()).resolves.toBeUndefined();
});
