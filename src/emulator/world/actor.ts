/** Who does what happens in a world, as events say it. */
export interface Actor {
  /** Null where nobody knows. */
  readonly id: string | null;
  /** Through what it is done. */
  readonly source: 'api' | 'dashboard' | 'admin_portal' | 'user' | 'directory' | 'system';
  readonly name: string | null;
}

/** People at the pages of the service, or who sign in by a client: which user it is, an event says by what it is about. */
export const somebody: Actor = Object.freeze({ id: null, source: 'user', name: null });
/** Whoever uses the dashboard of the service, which controls play. */
export const dashboard: Actor = Object.freeze({ id: 'dashboard', source: 'dashboard', name: 'Dashboard' });
/** The service itself: what it finds in the DNS, and what falls due by the clock. */
export const system: Actor = Object.freeze({ id: 'system', source: 'system', name: 'System' });
/** An administrator of a customer, at the admin portal. */
export const administrator: Actor = Object.freeze({ id: null, source: 'admin_portal', name: null });
