import {
  array,
  body,
  type Fields,
  labels,
  maybe,
  nullable,
  part,
  ref,
  string,
  timestamp,
  url,
} from '../../../service/describe/define.js';
import { type UserUpdate, user, userCreate, userUpdate } from '../../../service/users.js';
import { emailKeyOf } from '../../store/email-key.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, conflict, unprocessable } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import type { Fact, Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import { labelsAfter, wrongLabels } from '../organizations/labels.js';
import { emailVerifications } from './one-time-codes.js';
import { passwordRecordOf, passwords, setPassword, wrongPasswordFields } from './passwords.js';

const userRecord = part({
  ...user.shape,
  name: nullable(string),
  metadata: labels,
  /** The address, normalized for comparison. */
  emailKey: string,
  /** Organizations of the user, including pending memberships, for the index. `memberships/records.ts` updates it. */
  organizationIds: array(string),
});
/** A user as the emulator stores it. Passwords are stored separately. */
export interface UserRecord extends Stored<typeof userRecord> {}

/** The users who can sign in. */
export const users = collection<UserRecord>({
  object: 'user',
  prefix: 'user',
  unique: ['emailKey', 'externalId'],
  index: ['organizationIds'],
  record: ref(userRecord),
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
interface NewUser extends Fields<typeof newUser> {}

/** Find the user with this address. */
export const userByEmail = (memory: Memory, email: string): UserRecord | undefined =>
  memory.of(users).by('emailKey', emailKeyOf(email));

/** A person with an email address and perhaps a name. */
export interface Person extends Pick<UserRecord, 'firstName' | 'lastName' | 'email'> {
  readonly name?: string | null;
}

/** Get the full name of a person; empty if there is none. */
export const fullNameOf = ({ name, firstName, lastName }: Omit<Person, 'email'>): string =>
  name || [firstName, lastName].filter(Boolean).join(' ');

/** Get the full name of a person, or the email address if there is none. */
export const nameOf = (person: Person): string => fullNameOf(person) || person.email;

/**
 * Add a user to a world without an event.
 *
 * @throws {EmulatorRefusal} 422 for wrong fields, 400 for a weak password, a taken address or a taken external id.
 */
export async function addUser(memory: Memory, fields: NewUser): Promise<UserRecord> {
  const errors = [...wrongLabels(memory, fields), ...wrongPasswordFields(fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const password = passwordRecordOf(fields);
  const user = insertUser(memory, fields);
  if (password) setPassword(memory, user.id, password);
  return user;
}

/** Create a user and emit the event. @throws {EmulatorRefusal} As `addUser`. */
export async function createUser(memory: Memory, fields: NewUser): Promise<UserRecord> {
  const user = await addUser(memory, fields);
  memory.emit('user.created', user);
  return user;
}

/**
 * Create a user without a password and emit the event. Unlike `createUser`, it is synchronous.
 *
 * @throws {EmulatorRefusal} 400 for a taken address.
 */
export function createUserAtOnce(memory: Memory, fields: Passwordless): UserRecord {
  const user = insertUser(memory, fields);
  memory.emit('user.created', user);
  return user;
}

type Passwordless = Omit<NewUser, 'password' | 'passwordHash' | 'passwordHashType'>;

function insertUser(memory: Memory, fields: Passwordless): UserRecord {
  const { id, email, externalId } = fields;
  refuseTakenEmail(memory, email);
  refuseTakenExternalId(memory, externalId);
  return memory.of(users).insert({
    id,
    email,
    emailKey: emailKeyOf(email),
    name: fields.name ?? null,
    firstName: fields.firstName ?? null,
    lastName: fields.lastName ?? null,
    emailVerified: fields.emailVerified ?? false,
    profilePictureUrl: fields.profilePictureUrl ?? null,
    externalId: externalId ?? null,
    metadata: labelsAfter({}, fields.metadata),
    lastSignInAt: fields.lastSignInAt ?? null,
    locale: fields.locale ?? null,
    organizationIds: [],
  });
}

/**
 * Update a user and emit the event. Omitted fields stay unchanged; null clears a field.
 *
 * @throws {EmulatorRefusal} 404; 422 for wrong fields, 400 for a weak password, a taken address or a taken external id.
 */
export async function updateUser(
  memory: Memory,
  id: string,
  fields: UserUpdate & { readonly email?: string | undefined },
): Promise<UserRecord> {
  memory.of(users).get(id);
  const errors = [...wrongLabels(memory, fields), ...wrongPasswordFields(fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const password = passwordRecordOf(fields);
  const before = memory.of(users).get(id);
  const { email = before.email, externalId, metadata } = fields;
  const isNewEmail = emailKeyOf(email) !== before.emailKey;
  if (isNewEmail) refuseTakenEmail(memory, email);
  refuseTakenExternalId(memory, externalId, id);
  const fieldAfter = <K extends 'name' | 'firstName' | 'lastName' | 'locale' | 'externalId'>(key: K): UserRecord[K] =>
    fields[key] === undefined ? before[key] : fields[key];
  const user = memory.of(users).update(id, {
    email,
    emailKey: emailKeyOf(email),
    name: fieldAfter('name'),
    firstName: fieldAfter('firstName'),
    lastName: fieldAfter('lastName'),
    locale: fieldAfter('locale'),
    externalId: fieldAfter('externalId'),
    // A new address is unverified, even if the old one was verified.
    emailVerified: fields.emailVerified ?? (isNewEmail ? false : before.emailVerified),
    metadata: labelsAfter(before.metadata, metadata),
  });
  if (isNewEmail) memory.deleteWhere(emailVerifications, 'userId', id);
  if (password) setPassword(memory, id, password);
  memory.emit('user.updated', user);
  return user;
}

/** Set a user's address, mark it as verified and emit the event. */
export function confirmEmail(memory: Memory, id: string, email: string): UserRecord {
  const user = memory.of(users).update(id, {
    email,
    emailKey: emailKeyOf(email),
    emailVerified: true,
  });
  memory.deleteWhere(emailVerifications, 'userId', id);
  memory.emit('user.updated', user);
  return user;
}

/** Set a user's picture and emit the event. */
export function updatePicture(memory: Memory, id: string, profilePictureUrl: string): UserRecord {
  const user = memory.of(users).update(id, { profilePictureUrl });
  memory.emit('user.updated', user);
  return user;
}

/** Verify the user's current address and emit the event. Does nothing if it is already verified. */
export const ensureVerified = (memory: Memory, user: UserRecord): UserRecord =>
  user.emailVerified ? user : confirmEmail(memory, user.id, user.email);

/** Delete a user with everything that belongs to it, and emit the event. @throws {EmulatorRefusal} 404. */
export function deleteUser(memory: Memory, id: string): void {
  const user = memory.delete(users, id);
  memory.of(passwords).delete(id);
  memory.emit('user.deleted', user);
}

/** Refuse an address that another user has. @throws {EmulatorRefusal} 400. */
function refuseTakenEmail(memory: Memory, email: string): void {
  if (userByEmail(memory, email))
    throw badRequest(takenEmail.code, takenEmail.message, {
      errors: [{ field: 'email', code: takenEmail.code, message: 'belongs to another user' }],
    });
}

/** Refuse to change to an address that another user has. @throws {EmulatorRefusal} 409. */
export function refuseTakenNewEmail(memory: Memory, email: string): void {
  if (userByEmail(memory, email)) throw conflict(takenEmail.code, takenEmail.message);
}

const takenEmail = { code: 'email_not_available', message: 'Another user has this email address' };

function refuseTakenExternalId(memory: Memory, externalId: string | null | undefined, self?: string): void {
  const holder = memory.of(users).by('externalId', externalId ?? null);
  if (holder && holder.id !== self) throw badRequest('external_id_already_used', 'Another user has this external_id');
}

const name: Fact<UserRecord> = { label: 'Name', of: fullNameOf };

export const userFacts: Facts<UserRecord> = {
  noun: 'user',
  model: user,
  all: (memory) => memory.of(users),
  title: 'email',
  columns: [['email', 'Email address'], name, ['lastSignInAt', 'Last sign-in'], 'id'],
  empty: 'No users yet. Users appear here when they sign up. You can also add them in a seed.',
  facts: [
    'id',
    name,
    'emailVerified',
    { label: 'Password', of: ({ id }, memory) => (memory.of(passwords).has(id) ? 'set' : 'none') },
    'createdAt',
    ['lastSignInAt', 'Last sign-in'],
    ['externalId', 'External ID'],
    'metadata',
  ],
};
