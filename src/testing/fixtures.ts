import type { NewTestWorld, TestWorld } from './world.js';

/** A fixture for `test.extend` of Vitest or Playwright. */
export type WorldFixture = (others: object, use: (world: TestWorld) => Promise<void>) => Promise<void>;

/** A hook of a test runner, such as `beforeEach` or `afterAll`. */
export type Hook = (act: () => Promise<void>) => unknown;

/** Hooks that create and forget a world: for each test, or once for all tests of a file. */
export type WorldHooks =
  | { readonly beforeEach: Hook; readonly afterEach: Hook }
  | { readonly beforeAll: Hook; readonly afterAll: Hook };

type Create = (options?: NewTestWorld) => Promise<TestWorld>;

/** Create a fixture that creates a world, and forgets it afterwards. */
export const fixtureOf =
  (create: Create, options?: NewTestWorld): WorldFixture =>
  // biome-ignore lint/correctness/noEmptyPattern: runners read the names of required fixtures from this pattern
  async ({}, use) => {
    const world = await create(options);
    try {
      await use(world);
    } finally {
      await world.forget();
    }
  };

/** Create and forget a world in hooks. Returns a function that returns the current world. */
export function worldInHooks(create: Create, hooks: WorldHooks, options?: NewTestWorld): () => TestWorld {
  let world: TestWorld | undefined;
  const [before, after] =
    'beforeEach' in hooks ? [hooks.beforeEach, hooks.afterEach] : [hooks.beforeAll, hooks.afterAll];
  before(async () => {
    world = await create(options);
  });
  after(async () => {
    const past = world;
    world = undefined;
    await past?.forget();
  });
  return () => {
    if (!world) throw new Error('The world does not exist yet. Call this function in a test or in a later hook.');
    return world;
  };
}
