import { consoleLater } from './console/lazy-room.js';
import { hostedRoom } from './hosted/room.js';
import { type Room, Router } from './http/router.js';
import { serveControls } from './http/serve-controls.js';
import type { AuditLogControls } from './rooms/audit-logs/controls.js';
import { auditLogsRoom } from './rooms/audit-logs/room.js';
import type { ConnectionControls } from './rooms/connections/controls.js';
import { connectionsRoom } from './rooms/connections/room.js';
import type { DirectoryControls } from './rooms/directory-sync/controls.js';
import { directorySyncRoom } from './rooms/directory-sync/room.js';
import { type ExportControls, exportRoomOf } from './rooms/emulator/export-controls.js';
import { type WorldControls, worldRoom } from './rooms/emulator/room.js';
import { administratorControls } from './rooms/emulator/worlds-controls.js';
import { type EventRoomControls, eventsRoom } from './rooms/events/room.js';
import { fgaRoom } from './rooms/fga/room.js';
import { invitationsRoom } from './rooms/invitations/room.js';
import { membershipsRoom } from './rooms/memberships/room.js';
import type { OrganizationDomainControls } from './rooms/organizations/domain-controls.js';
import type { RoleControls } from './rooms/organizations/role-controls.js';
import { organizationsRoom } from './rooms/organizations/room.js';
import { portalRoom } from './rooms/portal/room.js';
import type { RedirectUriControls } from './rooms/redirect-uris/controls.js';
import type { UserControls } from './rooms/users/controls.js';
import { usersRoom } from './rooms/users/room.js';
import type { DeliveryControls } from './rooms/webhooks/controls.js';
import { webhooksRoom } from './rooms/webhooks/room.js';
import type { SeedPart } from './seed/section.js';
import type { AuthorizationControls } from './sign-in/authorizations/controls.js';
import type { AuthenticationControls } from './sign-in/grants/controls.js';
import type { KeyControls } from './sign-in/keys/controls.js';
import { signInRoom } from './sign-in/room.js';
import type { ClaimControls } from './sign-in/sessions/claim-controls.js';

const roomList = [
  worldRoom,
  organizationsRoom,
  usersRoom,
  connectionsRoom,
  membershipsRoom,
  invitationsRoom,
  directorySyncRoom,
  eventsRoom,
  webhooksRoom,
  auditLogsRoom,
  portalRoom,
  fgaRoom,
  signInRoom,
  hostedRoom,
  exportRoomOf(() => seedParts),
] as const satisfies readonly Room[];

type ControlsOf<R> = R extends { readonly controls: infer C } ? (all: C) => void : never;
type AllControls = ControlsOf<(typeof roomList)[number]> extends (all: infer C) => void ? C : never;

/** All controls by method name. */
export const controls: AllControls = Object.assign({}, ...roomList.map((room: Room) => room.controls));

/** All rooms of the emulator, in order of their dependencies. The console is last, because it shows all other rooms. */
export const rooms: readonly Room[] = [...roomList, consoleLater(controls)];

/** The seed parts of all rooms. */
export const seedParts: readonly SeedPart[] = rooms.flatMap((room) => room.seed ?? []);

/** The routes and controls of all rooms, and the administrator controls. All emulators share it. */
export const router = new Router();
for (const room of rooms) {
  room.routes(router);
  if (room.controls) serveControls(router, room.controls);
}
serveControls(router, administratorControls, { forAdministrator: true });

/** The controls that need the administrator key. */
export { type AdministratorControls, administratorControls } from './rooms/emulator/worlds-controls.js';

/** Ids of the operations that the emulator serves. */
export const servedOperations: ReadonlySet<string> = new Set(router.routes.keys());

/**
 * Controls for events outside the API, such as DNS responses and clicks in dashboards or emails. Programs in other languages call
 * them over HTTP under `/_emulator`.
 */
export interface Controls
  extends AuditLogControls,
    AuthenticationControls,
    AuthorizationControls,
    ClaimControls,
    ConnectionControls,
    DeliveryControls,
    DirectoryControls,
    EventRoomControls,
    ExportControls,
    OrganizationDomainControls,
    RedirectUriControls,
    RoleControls,
    UserControls,
    WorldControls {
  /** The keys that sign access tokens. A reset restores the first key. */
  readonly keys: KeyControls;
}
