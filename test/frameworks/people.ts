import type { Seed } from 'sallyport/emulator';

/** The password of every user at the service. */
export const password = 'a quiet harbour at dawn';

/** The seed of the service; each test creates its own users. */
export const seed: Seed = {
  organizations: [
    { id: 'org_northwind', name: 'Northwind' },
    { id: 'org_harbour', name: 'Harbour' },
  ],
  roles: [{ slug: 'planner', permissions: ['reports:read'] }, { slug: 'visitor' }],
};

/** A user who can sign in. */
export interface Person {
  readonly id: string;
  readonly email: string;
}

/** Name of the session cookie of the applications. */
export const sessionCookie = 'wos-session';
