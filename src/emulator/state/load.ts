import { checkOption } from '../../errors/check-option.js';
import { ConfigurationError } from '../../errors/index.js';
import { objectionToWorld } from '../world/store-names.js';
import type { State } from './state.js';

/**
 * Open the state file that an option names, where there is a file system.
 *
 * @throws {ConfigurationError} `invalid_option` where there is none, `invalid_state` when the file cannot be used.
 * @throws {EmulatorError} `state_in_use`.
 */
export async function stateIn(location: string | URL): Promise<State> {
  const isFile = typeof location === 'string' ? location.trim() !== '' : location.protocol === 'file:';
  checkOption(isFile, 'state of createEmulator', 'must be the path of a file, such as dev.state, or a file: URL');
  const { openState } = await import('./open.js').catch((cause: unknown) => {
    throw new ConfigurationError(
      'invalid_option',
      {
        what: 'The option state of createEmulator needs a file system',
        why: 'This runtime has none',
        next: 'Run the emulator on Node, Bun or Deno, or leave state out',
      },
      { cause },
    );
  });
  return openState(location, { say: (message) => console.warn(message), objectionTo: objectionToWorld });
}
