import type { ControlSet } from '../server/control.js';
import { type Room, together } from '../server/router.js';
import { Actions } from './actions.js';
import { auditLogPage } from './audit-logs.js';
import { directoryPages } from './directories.js';
import { eventPages } from './events.js';
import { faultPage } from './faults.js';
import { fgaPage } from './fga.js';
import { inboxPage } from './inbox.js';
import { liveStream } from './live.js';
import { organizationPages } from './organizations.js';
import { overviewPage } from './overview.js';
import { replay } from './replay.js';
import { requestPages } from './requests.js';
import { openAs } from './user-sessions.js';
import { userPages } from './users.js';
import { webhookPage } from './webhooks.js';

/** Pages about the emulator itself: what there is in it, what was asked of it, and the controls, where one looks for them. */
export function consoleRoomOf(controls: ControlSet): Room {
  const actions = new Actions(controls);
  return together(
    actions,
    overviewPage(actions),
    requestPages(actions),
    replay,
    eventPages(actions),
    webhookPage(actions),
    inboxPage,
    userPages(actions),
    openAs,
    organizationPages(actions),
    directoryPages(actions),
    fgaPage,
    auditLogPage,
    faultPage(actions),
    liveStream,
  );
}
