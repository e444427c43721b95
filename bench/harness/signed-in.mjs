// An emulator with a user who can sign in.
import { load } from './subject.mjs';

export const email = 'ada@acme.test';
export const password = 'correct horse battery staple';

export async function createEmulatorWithUser(options) {
  const { createEmulator } = await load('emulator.js');
  return createEmulator({ ...options, seed: { users: [{ email, email_verified: true, password }] } });
}
