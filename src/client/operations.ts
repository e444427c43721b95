import { atFirstCall } from '../transport/namespace.js';

// Operations are loaded with the first call of their group: importing all of them at the start would
// double the time of the import. Groups that are small or share descriptions are loaded together.

export const organizationRooms = atFirstCall(() => import('./operations/organizations.js'));
export const userManagementRooms = atFirstCall(() => import('./operations/user-management.js'));
export const ssoRoom = atFirstCall(() => import('./operations/sso.js'));
export const directorySyncRoom = atFirstCall(() => import('./operations/directory-sync.js'));
export const eventRooms = atFirstCall(() => import('./operations/events.js'));
export const auditLogRoom = atFirstCall(() => import('./operations/audit-logs.js'));
export const fgaRoom = atFirstCall(() => import('./operations/fga.js'));
export const otherRooms = atFirstCall(() => import('./operations/others.js'));
