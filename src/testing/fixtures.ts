import type { NewTestWorld, TestWorld } from './world.js';

/** A fixture as `test.extend` of Vitest and Playwright takes it. */
export type WorldFixture = (others: object, use: (world: TestWorld) => Promise<void>) => Promise<void>;

/** Something of a runner that has a function called at its time: `beforeEach`, `afterAll`. */
export type Hook = (act: () => Promise<void>) => unknown;

/** When a world begins and when it ends, by the hooks of a runner. */
export type WorldHooks =
  | { readonly beforeEach: Hook; readonly afterEach: Hook }
  | { readonly beforeAll: Hook; readonly afterAll: Hook };

type Create = (options?: NewTestWorld) => Promise<TestWorld>;

/** A fixture that makes a world and forgets it. */
export const fixtureOf =
  (create: Create, options?: NewTestWorld): WorldFixture =>
  // biome-ignore lint/correctness/noEmptyPattern: runners read here which other fixtures this one needs
  async ({}, use) => {
    const world = await create(options);
    try {
      await use(world);
    } finally {
      await world.forget();
    }
  };

/** The world of the moment, made and forgotten by hooks. */
export function worldByHooks(create: Create, hooks: WorldHooks, options?: NewTestWorld): () => TestWorld {
  let world: TestWorld | undefined;
  const [begin, end] = 'beforeEach' in hooks ? [hooks.beforeEach, hooks.afterEach] : [hooks.beforeAll, hooks.afterAll];
  begin(async () => {
    world = await create(options);
  });
  end(async () => {
    const past = world;
    world = undefined;
    await past?.forget();
  });
  return () => {
    if (!world) throw new Error('There is no world yet. Ask for it in a test or in a hook that runs later.');
    return world;
  };
}
