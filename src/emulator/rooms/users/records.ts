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
import { emailKeyOf } from '../../world/email-key.js';
import { pinned } from '../../world/pinned.js';
import { badRequest, conflict, unprocessable } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { labelsAfter, wrongLabels } from '../organizations/labels.js';
import { emailVerifications } from './one-time-codes.js';
import { passwordRecordOf, passwords, setPassword, wrongPasswordFields } from './passwords.js';

/** A user as the emulator stores it; passwords are kept apart. */
export interface UserRecord extends Required<Omit<User, 'object'>> {
  /** The address as it is compared. */
  readonly emailKey: string;
  /** Organizations that the user is or will be a member of, to be found by; memberships keep it. */
  readonly organizationIds: readonly string[];
}

/** The people who can sign in. */
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
  /** Language and region, `en-US`. */
  locale: userUpdate.shape.locale,
  /** Where a picture of the user is. */
  profilePictureUrl: maybe(url),
  /** When the user last signed in. */
  lastSignInAt: maybe(timestamp),
});
/** A user to make, perhaps one who has a past. */
export interface NewUser extends Fields<typeof newUser> {}

/** The user with this address. */
export const userByEmail = (world: World, email: string): UserRecord | undefined =>
  world.of(users).by('emailKey', emailKeyOf(email));

/** A user by the name that others know, or else the address. */
export const nameOf = ({ firstName, lastName, email }: Pick<UserRecord, 'firstName' | 'lastName' | 'email'>): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email;

/**
 * Put a user into a world, without an event.
 *
 * @throws {Refusal} 422 for wrong fields, 400 for a weak password, a taken address or a taken external id.
 */
export async function addUser(world: World, fields: NewUser): Promise<UserRecord> {
  const errors = [...wrongLabels(world, fields), ...wrongPasswordFields(fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const password = await passwordRecordOf(fields);
  // From here on without a pause: two requests at once must not both find the address free.
  const user = insertUser(world, fields);
  if (password) setPassword(world, user.id, password);
  return user;
}

/** Make a user and emit the event. @throws {Refusal} As `addUser`. */
export async function createUser(world: World, fields: NewUser): Promise<UserRecord> {
  const user = await addUser(world, fields);
  world.emit('user.created', user);
  return user;
}

/** Make a user without a password, at once, and emit the event. @throws {Refusal} 400 for a taken address. */
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
 * Change a user and emit the event. What is left out stays as it is; null clears.
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
  const isMove = emailKeyOf(email) !== before.emailKey;
  if (isMove) refuseTakenEmail(world, email);
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
    // That the user reads the mail of one address says nothing about another.
    emailVerified: fields.emailVerified ?? (isMove ? false : before.emailVerified),
    metadata: labelsAfter(before.metadata, metadata),
    updatedAt: world.now,
  });
  if (isMove) world.of(emailVerifications).deleteWhere('userId', id);
  if (password) setPassword(world, id, password);
  world.emit('user.updated', user);
  return user;
}

/** Make an address that the user has proven to read the user's verified address, and emit the event. */
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

/** Give a user a picture, and emit the event. */
export function updatePicture(world: World, id: string, profilePictureUrl: string): UserRecord {
  const user = world.of(users).update(id, { profilePictureUrl, updatedAt: world.now });
  world.emit('user.updated', user);
  return user;
}

/** Verify the user's present address and emit the event; do nothing where it is verified already. */
export const ensureVerified = (world: World, user: UserRecord): UserRecord =>
  user.emailVerified ? user : confirmEmail(world, user.id, user.email);

/** Delete a user and all that goes with one, and emit the event. @throws {Refusal} 404. */
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
