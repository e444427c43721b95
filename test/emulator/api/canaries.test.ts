import { expect, test } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { sender } from '../../servers/send.js';
import { stage } from '../../stage.js';

// Each world has a canary. Workers read and change all worlds in turn, and search each answer for the canaries of other worlds.
takesLong('an emulator with 200 worlds', () => {
  test('returns no data from the wrong world in 10,000 requests, 64 at a time', async () => {
    const { emulator } = await stage();
    const worlds = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const canary = `canary-${at}-`;
        const world = await emulator.worlds.create({ seed: { organizations: [{ id: `org_${at}`, name: canary }] } });
        return { canary, send: sender(emulator.fetch, emulator.url, world.credentials.apiKey), world };
      }),
    );
    let state = 20_261_122;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state % below;
    };
    const crossings: string[] = [];
    let left = 10_000;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const at = random(worlds.length);
        const { canary, send } = worlds[at]!;
        const foreign = random(worlds.length);
        const requests = [
          ['GET /organizations?limit=100'],
          [`GET /organizations/org_${foreign}`],
          ['POST /organizations', { name: `${canary}new` }],
          ['GET /events?events[]=organization.created&limit=5'],
          [`PUT /organizations/org_${at}`, { name: canary }],
          ['GET /_emulator/requests?limit=3'],
        ] as const;
        const [line, body] = requests[random(requests.length)]!;
        const text = JSON.stringify((await send(line, body)).body);
        const met = [...text.matchAll(/canary-\d+-/g)].map(([one]) => one).filter((one) => one !== canary);
        if (met.length > 0) crossings.push(`${line} of ${canary} met ${met[0]}`);
      }
    };

    await Promise.all(Array.from({ length: 64 }, work));

    expect(crossings).toEqual([]);
    for (const { canary, world } of worlds)
      expect(
        world.requests
          .list()
          .every(({ requestBody }) => !/canary-\d+-/.test(requestBody ?? '') || requestBody!.includes(canary)),
      ).toBe(true);
  }, 120_000);
});
