import { Sessions } from './sessions.js';

/** Users, their memberships and invitations, and everything about signing in. */
export class UserManagement extends Sessions {}
