import { testWorlds } from 'sallyport/testing';

const { EMULATOR_URL = 'http://localhost:4100', EMULATOR_ADMIN_KEY } = process.env;
const worlds = testWorlds({ url: EMULATOR_URL, adminKey: EMULATOR_ADMIN_KEY });
let world;

/** What runs in Node beside the browser; `cy.task` calls it by name. What it returns has to be JSON. */
export const tasks = {
  async 'world:begin'(options) {
    world = await worlds.create(options ?? {});
    return { name: world.name, credentials: world.credentials, env: world.env };
  },
  async 'world:end'() {
    await world?.forget();
    world = undefined;
    return null;
  },
  async 'world:signInAs'({ user, ...options }) {
    return (await world.signInAs(user, options)).cookies;
  },
  'world:mail': (filter) => world.inbox.waitFor(filter),
  'world:advance': (by) => world.clock.advance(by),
  'world:event': ({ type, match }) => world.expectEvent(type, match),
};
