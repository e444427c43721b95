import { post } from '../../../service/describe/operation.js';
import { control } from '../../server/control.js';
import type { Room } from '../../server/router.js';
import { clockControls } from './clock-controls.js';
import { inboxControls } from './inbox-controls.js';
import { apiKeysSection, redirectUrisSection } from './seed.js';

/** What there is before anybody has an organization: the clock, the inbox, and starting over. */
export const worldRoom = {
  routes() {},
  controls: {
    clock: clockControls,
    inbox: inboxControls,
    /** Start over with the seed, and the clock at its start. Whoever listens and has credentials keeps them. */
    reset: control(post('/_emulator/reset', {}), ({ world }) => world.reset()),
  },
  seed: [apiKeysSection, redirectUrisSection],
} satisfies Room;
