import { SealedSessions } from './sealed-sessions.js';

/** Users, their memberships and invitations, and everything about signing in. */
export class UserManagement extends SealedSessions {}
