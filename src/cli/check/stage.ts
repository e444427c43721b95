import { randomBytes, randomUUID } from 'node:crypto';
import type { Courier } from './courier.js';
import { NotTried } from './finding.js';

/** The objects that the probes share. A property throws `NotTried` if its object was not made. */
export interface Stage {
  readonly courier: Courier;
  /** Unique name of this run, which begins the name of everything that it makes. */
  readonly mark: string;
  readonly email: string;
  readonly password: string;
  readonly organizationId: string;
  readonly userId: string;
  /** When the service made the user; ISO 8601. */
  readonly userCreatedAt: string;
  readonly membershipId: string;
}

/** Make the organization, the user with a password and the membership that the probes share. */
export async function makeStage(courier: Courier): Promise<Stage> {
  const mark = `sallyport-check-${randomUUID()}`;
  const email = `${mark}@example.com`;
  const password = `${randomBytes(24).toString('base64url')}aA1!`;
  courier.own.add(email);
  courier.secrets.add(password);
  const attempt = <T>(made: Promise<T>): Promise<T | NotTried> => made.catch(orNotTried);
  const organization = await attempt(
    courier.make('organizations.create', mark, { body: { name: mark, external_id: mark, metadata: { check: 'yes' } } }),
  );
  const user = await attempt(
    courier.make('users.create', email, {
      body: { email, password, first_name: 'Ada', email_verified: true, external_id: mark },
    }),
  );
  const membership = await attempt(
    (async () => {
      const body = { organization_id: madeOf(organization).id, user_id: madeOf(user).id };
      return courier.make('organizationMemberships.create', `of ${email}`, { body });
    })(),
  );
  return {
    courier,
    mark,
    email,
    password,
    get organizationId() {
      return madeOf(organization).id;
    },
    get userId() {
      return madeOf(user).id;
    },
    get userCreatedAt() {
      return String(madeOf(user).body.created_at);
    },
    get membershipId() {
      return madeOf(membership).id;
    },
  };
}

/** Return an error if it says that a probe cannot compare anything. Throws all others. */
export const orNotTried = (error: unknown): NotTried => {
  if (error instanceof NotTried) return error;
  throw error;
};

const madeOf = <T>(value: T | NotTried): T => {
  if (value instanceof NotTried) throw value;
  return value;
};
