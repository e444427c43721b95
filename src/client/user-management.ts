import { SealedSessions } from './sealed-sessions.js';

/** Users, memberships, invitations, sign-in and sessions. */
export class UserManagement extends SealedSessions {}
