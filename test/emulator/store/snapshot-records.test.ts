import { expect, test } from 'vitest';
import { createEmulator, type Emulator, type Snapshot } from '../../../src/emulator/index.js';
import { router } from '../../../src/emulator/registry.js';
import { Sallyport } from '../../../src/index.js';
import { tour, type Visit } from '../../parity/tour.js';
import { triesAll } from '../../runner/property.js';
import { sender } from '../../servers/send.js';
import { specifiedOperations } from '../../spec/operations.js';
import { type DamagedRecord, damagedRecordsOf, everyKind, withValue } from './damaged-records.js';

const clock = '2026-05-04T08:00:00.000Z';

/** A snapshot taken after every operation has been called. */
async function snapshotOfTour(): Promise<Snapshot> {
  const emulator = await createEmulator({ seed: 'examples/company.yaml', clock, ids: 'tour', autoApprove: true });
  await emulator.listen(0);
  const visit: Visit = { sallyport: new Sallyport(emulator.credentials), emulator, fetch };
  for (const { id } of specifiedOperations) await tour[id]!(visit);
  const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
  await emulator.close();
  return snapshot;
}

const waits = /wait_for|snapshot/;
/** The paths of all lists, pages and single objects. */
const paths = [
  ...[...router.routes.values(), ...router.controls].map(({ operation }) => operation),
  ...router.pages.filter(({ isStream }) => !isStream),
].flatMap(({ method, path }) => (method === 'GET' && !waits.test(path) ? [path] : []));

/** The responses of all readable paths, with ids of the damaged record in paths that take one. */
async function* answersAbout(emulator: Emulator, { key, value }: DamagedRecord) {
  const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
  const fields = Object(value) as Record<string, unknown>;
  const names = [key, fields.organizationId, fields.userId, fields.directoryId, fields.token, fields.resourceType];
  const ids = [...new Set(names.filter((one) => typeof one === 'string' && one !== ''))] as string[];
  for (const path of paths)
    for (const id of path.includes(':') ? ids : [''])
      yield { path, ...(await send(`GET ${path.replace(/:[a-z_]+/g, encodeURIComponent(id))}`)) };
}

// Every second damage with `every` 2, and everything is read after every fourth restore with `readEvery` 4.
const [wrongValues, every, readEvery] = triesAll ? ([everyKind, 2, 4] as const) : ([[null, {}], 20, 8] as const);

test('a snapshot with a damaged record is rejected unless all data can still be read', async () => {
  const snapshot = await snapshotOfTour();
  const staging = snapshot.worlds.staging!;
  const emulator = await createEmulator({ clock, seed: { organizations: [{ id: 'org_a', name: 'Before' }] } });
  const before = emulator.snapshot();
  const failures: string[] = [];
  let refused = 0;
  let restored = 0;
  const damages = [...damagedRecordsOf(staging, wrongValues)].filter((_, at) => at % every === 0);
  for (const record of damages) {
    const { store, key, damage, value } = record;
    const fail = (what: string): unknown => failures.push(`${store}: ${damage}: ${what}`);
    const worlds = { ...snapshot.worlds, staging: { ...staging, [store]: withValue(staging[store]!, key, value) } };
    try {
      await emulator.restore({ ...snapshot, worlds });
    } catch (error) {
      refused++;
      if (Object(error).code !== 'invalid_snapshot') fail(`${error}`);
      if (emulator.snapshot().worlds.staging!.user) fail('refused, and something changed');
      continue;
    }
    if (restored++ % readEvery === 0)
      for await (const { path, status, body } of answersAbout(emulator, record))
        if (status >= 500) fail(`GET ${path} ${JSON.stringify(body).slice(0, 200)}`);
    await emulator.restore(before);
  }

  expect(failures).toEqual([]);
  expect(refused).toBeGreaterThan(500 / every);
  expect(restored).toBeGreaterThan(50 / every);
}, 600_000);
