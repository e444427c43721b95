import { testWorlds } from 'sallyport/testing';

const { EMULATOR_URL = 'http://localhost:4100', EMULATOR_ADMIN_KEY } = process.env;
const worlds = testWorlds({ url: EMULATOR_URL, adminKey: EMULATOR_ADMIN_KEY });
let world;

/** Tasks that run in Node. `cy.task` calls them by name. Their results must be JSON. */
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
