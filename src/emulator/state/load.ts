import { ConfigurationError } from '../../errors/index.js';
import { objectionToWorld } from '../store/store-names.js';
import type { State } from './state.js';

/**
 * Open the state file of the option `state`.
 *
 * @throws {ConfigurationError} `invalid_option` without a file system, `invalid_state` if the file cannot be used.
 * @throws {EmulatorError} `state_in_use`.
 */
export async function stateIn(location: string | URL): Promise<State> {
  const { openState } = await import('./open.js').catch((cause: unknown) => {
    throw new ConfigurationError(
      'invalid_option',
      {
        what: 'The option state of createEmulator needs a file system',
        why: 'This runtime does not have one',
        next: 'Run the emulator on Node, Bun or Deno, or leave out state',
      },
      { cause },
    );
  });
  return openState(location, { print: (message) => console.warn(message), objectionTo: objectionToWorld });
}
