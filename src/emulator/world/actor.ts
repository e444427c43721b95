/** Actor that caused an event, as in the `context` of the event. */
export interface Actor {
  /** Null if unknown. */
  readonly id: string | null;
  /** Where the action came from. */
  readonly source: 'api' | 'dashboard' | 'admin_portal' | 'user' | 'directory' | 'system';
  readonly name: string | null;
}

/** A user who acts on a hosted page or signs in through a client. The event log adds the user's id and name. */
export const endUser: Actor = Object.freeze({ id: null, source: 'user', name: null });
/** A user of the service's dashboard. The actor of all controls. */
export const dashboard: Actor = Object.freeze({ id: 'dashboard', source: 'dashboard', name: 'Dashboard' });
/** The service itself, such as when it verifies a domain or a scheduled task runs. */
export const system: Actor = Object.freeze({ id: 'system', source: 'system', name: 'System' });
/** A customer's administrator in the admin portal. */
export const administrator: Actor = Object.freeze({ id: null, source: 'admin_portal', name: null });
