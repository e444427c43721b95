import {
  array,
  body,
  type Fields,
  labels,
  maybe,
  part,
  ref,
  string,
  timestamp,
  url,
} from '../../../service/describe/define.js';
import { type User, type UserUpdate, user, userCreate, userUpdate } from '../../../service/users.js';
import { emailKeyOf } from '../../store/email-key.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, conflict, unprocessable } from '../../store/refusal.js';
import { collection, type World } from '../../world/world.js';
import { labelsAfter, wrongLabels } from '../organizations/labels.js';
import { emailVerifications } from './one-time-codes.js';
import { passwordRecordOf, passwords, setPassword, wrongPasswordFields } from './passwords.js';

/** A user as the emulator stores it. Passwords are stored separately. */
export interface UserRecord extends Required<Omit<User, 'object'>> {
  /** The address, normalized for comparison. */
  readonly emailKey: string;
  /** Organizations of the user, including pending memberships, for the index. `memberships/records.ts` updates it. */
  readonly organizationIds: readonly string[];
}

/** The users who can sign in. */
export const users = collection<UserRecord>({
  object: 'user',
  prefix: 'user',
  unique: ['emailKey', 'externalId'],
  index: ['organizationIds'],
  record: ref<UserRecord>(part({ ...user.shape, metadata: labels, emailKey: string, organizationIds: array(string) })),
});

export const newUser = body({
  ...pinned,
  ...userCreate.shape,
  /** Language and region, such as `en-US`. */
  locale: userUpdate.shape.locale,
  /** URL of the user's picture. */
  profilePictureUrl: maybe(url),
  /** Time of the user's last sign-in. */
  lastSignInAt: maybe(timestamp),
});
/** The fields of a new user. Unlike the API, it can have an id and a last sign-in. */
export interface NewUser extends Fields<typeof newUser> {}

/** Find the user with this address. */
export const userByEmail = (world: World, email: string): UserRecord | undefined =>
  world.of(users).by('emailKey', emailKeyOf(email));

/** Get the full name of a user, or the email address if the user has no name. */
export const nameOf = ({ firstName, lastName, email }: Pick<UserRecord, 'firstName' | 'lastName' | 'email'>): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email;

/**
 * Add a user to a world without an event.
 *
 * @throws {Refusal} 422 for wrong fields, 400 for a weak password, a taken address or a taken external id.
 */
export async function addUser(world: World, fields: NewUser): Promise<UserRecord> {
  const errors = [...wrongLabels(world, fields), ...wrongPasswordFields(fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const password = await passwordRecordOf(fields);
  // No await from here on: two concurrent requests must not both find the address free.
  const user = insertUser(world, fields);
  if (password) setPassword(world, user.id, password);
  return user;
}

/** Create a user and emit the event. @throws {Refusal} As `addUser`. */
export async function createUser(world: World, fields: NewUser): Promise<UserRecord> {
  const user = await addUser(world, fields);
  world.emit('user.created', user);
  return user;
}

/**
 * Create a user without a password and emit the event. Unlike `createUser`, it is synchronous.
 *
 * @throws {Refusal} 400 for a taken address.
 */
export function createUserAtOnce(world: World, fields: Passwordless): UserRecord {
  const user = insertUser(world, fields);
  world.emit('user.created', user);
  return user;
}

type Passwordless = Omit<NewUser, 'password' | 'passwordHash' | 'passwordHashType'>;

function insertUser(world: World, fields: Passwordless): UserRecord {
  const { id, email, externalId } = fields;
  refuseTakenEmail(world, email);
  refuseTakenExternalId(world, externalId);
  const { now } = world;
  return world.of(users).insert({
    ...(id === undefined ? {} : { id }),
    email,
    emailKey: emailKeyOf(email),
    firstName: fields.firstName ?? null,
    lastName: fields.lastName ?? null,
    emailVerified: fields.emailVerified ?? false,
    profilePictureUrl: fields.profilePictureUrl ?? null,
    externalId: externalId ?? null,
    metadata: labelsAfter({}, fields.metadata),
    lastSignInAt: fields.lastSignInAt ?? null,
    locale: fields.locale ?? null,
    organizationIds: [],
    createdAt: now,
    updatedAt: now,
  });
}

/**
 * Update a user and emit the event. Omitted fields stay unchanged; null clears a field.
 *
 * @throws {Refusal} 404; 422 for wrong fields, 400 for a weak password, a taken address or a taken external id.
 */
export async function updateUser(
  world: World,
  id: string,
  fields: UserUpdate & { readonly email?: string | undefined },
): Promise<UserRecord> {
  world.of(users).get(id);
  const errors = [...wrongLabels(world, fields), ...wrongPasswordFields(fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const password = await passwordRecordOf(fields);

  const before = world.of(users).get(id);
  const { email = before.email, externalId, metadata } = fields;
  const isNewEmail = emailKeyOf(email) !== before.emailKey;
  if (isNewEmail) refuseTakenEmail(world, email);
  refuseTakenExternalId(world, externalId, id);
  const fieldAfter = <K extends 'firstName' | 'lastName' | 'locale' | 'externalId'>(key: K): UserRecord[K] =>
    fields[key] === undefined ? before[key] : fields[key];
  const user = world.of(users).update(id, {
    email,
    emailKey: emailKeyOf(email),
    firstName: fieldAfter('firstName'),
    lastName: fieldAfter('lastName'),
    locale: fieldAfter('locale'),
    externalId: fieldAfter('externalId'),
    // A new address is unverified, even if the old one was verified.
    emailVerified: fields.emailVerified ?? (isNewEmail ? false : before.emailVerified),
    metadata: labelsAfter(before.metadata, metadata),
    updatedAt: world.now,
  });
  if (isNewEmail) world.of(emailVerifications).deleteWhere('userId', id);
  if (password) setPassword(world, id, password);
  world.emit('user.updated', user);
  return user;
}

/** Set a user's address, mark it as verified and emit the event. */
export function confirmEmail(world: World, id: string, email: string): UserRecord {
  const user = world.of(users).update(id, {
    email,
    emailKey: emailKeyOf(email),
    emailVerified: true,
    updatedAt: world.now,
  });
  world.of(emailVerifications).deleteWhere('userId', id);
  world.emit('user.updated', user);
  return user;
}

/** Set a user's picture and emit the event. */
export function updatePicture(world: World, id: string, profilePictureUrl: string): UserRecord {
  const user = world.of(users).update(id, { profilePictureUrl, updatedAt: world.now });
  world.emit('user.updated', user);
  return user;
}

/** Verify the user's current address and emit the event. Does nothing if it is already verified. */
export const ensureVerified = (world: World, user: UserRecord): UserRecord =>
  user.emailVerified ? user : confirmEmail(world, user.id, user.email);

/** Delete a user with everything that belongs to it, and emit the event. @throws {Refusal} 404. */
export function deleteUser(world: World, id: string): void {
  const user = world.of(users).delete(id);
  world.of(passwords).delete(id);
  world.emit('user.deleted', user);
}

/** Refuse an address that another user has. @throws {Refusal} 400. */
function refuseTakenEmail(world: World, email: string): void {
  if (userByEmail(world, email))
    throw badRequest(takenEmail.code, takenEmail.message, {
      errors: [{ field: 'email', code: takenEmail.code, message: 'belongs to another user' }],
    });
}

/** Refuse to change to an address that another user has. @throws {Refusal} 409. */
export function refuseTakenNewEmail(world: World, email: string): void {
  if (userByEmail(world, email)) throw conflict(takenEmail.code, takenEmail.message);
}

const takenEmail = { code: 'email_not_available', message: 'Another user has this email address' };

function refuseTakenExternalId(world: World, externalId: string | null | undefined, self?: string): void {
  const holder = world.of(users).by('externalId', externalId ?? null);
  if (holder && holder.id !== self) throw badRequest('external_id_already_used', 'Another user has this external_id');
}
