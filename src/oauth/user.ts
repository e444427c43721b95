import type { User } from '../service/users.js';
import { asItIs, orNull, type Reader } from './reader.js';

/** What is in a user beside the fields that are the same on the wire. A field that the description has and this lacks does not compile. */
export const user: Reader<User> = {
  firstName: orNull,
  lastName: orNull,
  emailVerified: asItIs,
  profilePictureUrl: orNull,
  externalId: orNull,
  lastSignInAt: orNull,
  locale: orNull,
  createdAt: asItIs,
  updatedAt: asItIs,
};
