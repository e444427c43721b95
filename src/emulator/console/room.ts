import { type Room, together } from '../server/router.js';
import { auditLogPage } from './audit-logs.js';
import { directoryPages } from './directories.js';
import { eventPages } from './events.js';
import { faultPage } from './faults.js';
import { fgaPage } from './fga.js';
import { organizationPages } from './organizations.js';
import { overviewPage } from './overview.js';
import { requestPages } from './requests.js';
import { userPages } from './users.js';
import { webhookPage } from './webhooks.js';

/** Pages about the emulator itself: what there is in it, what was asked of it and what came of it. */
export const consoleRoom = together(
  overviewPage,
  requestPages,
  eventPages,
  webhookPage,
  userPages,
  organizationPages,
  directoryPages,
  fgaPage,
  auditLogPage,
  faultPage,
) satisfies Room;
