import type { User } from '../service/users.js';
import { type FieldMap, keep, nullable } from './reader.js';

/** Fields of a user whose wire name or value differs. The compiler reports missing ones. */
export const user: FieldMap<User> = {
  firstName: nullable,
  lastName: nullable,
  emailVerified: keep,
  profilePictureUrl: nullable,
  externalId: nullable,
  lastSignInAt: nullable,
  locale: nullable,
  createdAt: keep,
  updatedAt: keep,
};
