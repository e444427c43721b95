import type { User } from '../service/users.js';
import { asItIs, orNull, type Reader } from './reader.js';

/** What is in a user. A field that the description has and this lacks does not compile. */
export const user: Reader<User> = {
  object: asItIs,
  id: asItIs,
  email: asItIs,
  firstName: orNull,
  lastName: orNull,
  emailVerified: asItIs,
  profilePictureUrl: orNull,
  externalId: orNull,
  metadata: asItIs,
  lastSignInAt: orNull,
  locale: orNull,
  createdAt: asItIs,
  updatedAt: asItIs,
};
