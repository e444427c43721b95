import { describe, expect, test } from 'vitest';
import { triesAll } from '../runner/property.js';
import { processOf, racesInOneProcess, racesOfProcesses, service, signIn } from './race.js';
import type { Setup } from './racer.js';
import { password } from './signed-in.js';

racesInOneProcess(triesAll ? 40 : 1);

// Starting the processes takes long.
describe.runIf(triesAll)('in several processes,', () => {
  racesOfProcesses({ refreshes: 40, exchanges: 10 });

  test('users are signed out if the service ignores idempotency keys', async () => {
    const there = await service({ passesKeys: false });
    const setup: Setup = { ...there.emulator.credentials, baseUrl: there.url, cookiePassword: password };
    const jar = await signIn(there.emulator, setup);
    const runners = await Promise.all([1, 2, 3, 4].map(() => processOf(setup)));
    there.emulator.clock.advance('6m');

    const round = { cookie: jar.header, requests: 3, now: there.emulator.clock.now() };
    const results = (await Promise.all(runners.map((one) => one.run(round)))).flat();

    expect(results.filter(({ status }) => status === 'refreshed')).toHaveLength(3);
    expect(results.filter(({ reason }) => reason === 'invalid_grant')).toHaveLength(9);
  }, 180_000);
});
