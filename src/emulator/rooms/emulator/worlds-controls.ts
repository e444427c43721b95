import { ref } from '../../../service/describe/define.js';
import { data, del, get, post } from '../../../service/describe/operation.js';
import { type ControlContext, control, lookup, type Methods } from '../../http/control.js';
import { type CreatedWorlds, type MadeWorld, madeWorld, type NewWorld, newWorld } from '../../world/created-worlds.js';

/** Administrator controls are only called over HTTP, which passes the worlds. */
const worldsOf = ({ worlds }: ControlContext): CreatedWorlds => worlds!;

/** Worlds in addition to the emulator's own. All calls need the administrator key. */
export const administratorControls = {
  worlds: {
    /**
     * Create a world: an isolated environment with its own API key, client id, clock, inbox, signing key and redirect URIs. It is
     * deleted by `forget`, after `idleMs` without use, or with the emulator.
     *
     * @throws {EmulatorRefusal} The name, client id or API key is taken, or there are already 10,000 worlds (409). The seed is invalid
     * (422).
     */
    create: control(
      post('/_emulator/worlds', { body: ref<NewWorld>(newWorld), returns: ref<MadeWorld>(madeWorld) }),
      (context, options: NewWorld = {}) => worldsOf(context).create(options),
    ),
    /** List the created worlds, oldest first. */
    list: lookup(data('/_emulator/worlds', { returns: ref<MadeWorld>(madeWorld) }), (context) =>
      worldsOf(context).list(),
    ),
    /**
     * Read the address and credentials of a world.
     *
     * @throws {EmulatorRefusal} The world does not exist or was deleted (404).
     */
    get: lookup(get('/_emulator/worlds/:name', { returns: ref<MadeWorld>(madeWorld) }), (context, name) =>
      worldsOf(context).get(name),
    ),
    /**
     * Delete a world and everything in it. Its API key and address stop working, and pending waits in it fail.
     *
     * @throws {EmulatorRefusal} The world does not exist or was deleted (404).
     */
    forget: control(del('/_emulator/worlds/:name', {}), (context, name) => worldsOf(context).forget(name)),
  },
};

/** Controls that need the administrator key. */
export interface AdministratorControls extends Methods<typeof administratorControls> {}
