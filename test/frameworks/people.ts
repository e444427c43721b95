import type { Seed } from 'sallyport/emulator';

/** Everybody's password at the service. */
export const password = 'a quiet harbour at dawn';

/** What is there before anybody comes; each test brings people of its own. */
export const seed: Seed = {
  organizations: [
    { id: 'org_northwind', name: 'Northwind' },
    { id: 'org_harbour', name: 'Harbour' },
  ],
  roles: [{ slug: 'planner', permissions: ['docs:plan'] }, { slug: 'visitor' }],
};

/** Somebody who can sign in. */
export interface Person {
  readonly id: string;
  readonly email: string;
}

/** Name of the cookie in which applications keep a session. */
export const sessionCookie = 'sallyport-session';
