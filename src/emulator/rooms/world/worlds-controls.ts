import { ref } from '../../../service/describe/define.js';
import { data, del, get, post } from '../../../service/describe/operation.js';
import { type ControlContext, control, lookup, type Methods } from '../../server/control.js';
import { type MadeWorld, type MadeWorlds, madeWorld, type NewWorld, newWorld } from '../../world/made-worlds.js';

const worldsOf = ({ world }: ControlContext): MadeWorlds => {
  if (!world.worlds) throw new Error('This world is in no emulator.');
  return world.worlds;
};

/** Worlds beside the emulator's own. They need the administrator key. */
export const administratorControls = {
  worlds: {
    /**
     * Make a world: an environment of its own, with its own API key, client id, clock, inbox, signing key and redirect addresses. Nothing of it
     * is in any other. It is forgotten on demand, when nobody has used it for `idleMs`, and with the emulator.
     *
     * @throws {Refusal} 409 for a name, a client id or an API key that another has, or when there are 10,000 already; 422 for a seed that
     * cannot be planted, in the words of the seed.
     */
    create: control(
      post('/_emulator/worlds', { body: ref<NewWorld>(newWorld), returns: ref<MadeWorld>(madeWorld) }),
      (situation, options: NewWorld = {}) => worldsOf(situation).create(options),
    ),
    /** List the worlds that were made, the first one made first. */
    list: lookup(data('/_emulator/worlds', { returns: ref<MadeWorld>(madeWorld) }), (situation) =>
      worldsOf(situation).list(),
    ),
    /**
     * Read how a world is reached.
     *
     * @throws {Refusal} 404 for one that was never made, or is forgotten.
     */
    get: lookup(get('/_emulator/worlds/:name', { returns: ref<MadeWorld>(madeWorld) }), (situation, name) =>
      worldsOf(situation).get(name),
    ),
    /**
     * Forget a world and all that is in it. Whoever waits for something in it is refused; its key and its address work no longer.
     *
     * @throws {Refusal} 404 for one that was never made, or is forgotten already.
     */
    forget: control(del('/_emulator/worlds/:name', {}), (situation, name) => worldsOf(situation).forget(name)),
  },
};

/** Controls of the emulator as a whole, which need the administrator key. */
export interface AdministratorControls extends Methods<typeof administratorControls> {}
