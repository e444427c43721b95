import { part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { PasswordReset } from '../../../service/password-reset.js';
import { hashPassword, setPassword } from '../../rooms/users/passwords.js';
import { type UserRecord, userByEmail, users } from '../../rooms/users/records.js';
import { badRequest, notFound } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';

const passwordResetRecord = part({
  id: string,
  userId: string,
  email: string,
  token: string,
  expiresAt: timestamp,
  createdAt: timestamp,
});
/** A password reset as the emulator stores it. */
export interface PasswordResetRecord extends Stored<typeof passwordResetRecord> {}

/** Unused password resets, including expired ones. */
export const passwordResets = collection<PasswordResetRecord>({
  object: 'password reset',
  prefix: 'password_reset',
  unique: ['token'],
  publicToken: 'token',
  belongsTo: { userId: 'user' },
  record: ref(passwordResetRecord),
});

const lifetimeMs = 60 * 60_000;

/** Path of the page where users choose a new password. The link in the mail leads there. */
export const resetPasswordPath = '/reset-password';

/** Convert a password reset to the API format, with its token and URL. */
export function passwordResetView(memory: Memory, { token, ...reset }: PasswordResetRecord): View<PasswordReset> {
  const passwordResetUrl = memory.pageUrl(`${resetPasswordPath}?token=${token}`);
  return { ...reset, passwordResetToken: token, passwordResetUrl };
}

/** Create a password reset and emit the event. @throws {EmulatorRefusal} 404 for an unknown address. */
export function createPasswordReset(memory: Memory, email: string): PasswordResetRecord {
  const user = userByEmail(memory, email);
  if (!user) throw notFound('user', email, 'email');
  const all = memory.of(passwordResets);
  dropSpent(memory, passwordResets, ({ expiresAt }) => memory.isPast(expiresAt));
  const reset = all.insert({
    userId: user.id,
    email: user.email,
    token: memory.ids.token(32),
    expiresAt: memory.fromNow(lifetimeMs),
  });
  const { token: _, ...eventView } = reset;
  memory.emit('password_reset.created', eventView);
  return reset;
}

/** Create a password reset, mail its link and emit the event. @throws {EmulatorRefusal} 404 for an unknown address. */
export function sendPasswordReset(memory: Memory, email: string, passwordResetUrl: string): PasswordResetRecord {
  const reset = createPasswordReset(memory, email);
  const url = new URL(passwordResetUrl);
  url.searchParams.set('token', reset.token);
  memory.mail({
    kind: 'password_reset',
    to: reset.email,
    subject: 'Reset your password',
    text: `Choose a new password at ${url.href}. The link works for one hour, once.`,
    token: reset.token,
    url: url.href,
  });
  return reset;
}

/**
 * Set a user's password with the mailed token, and emit the events. The user's other links stop working.
 *
 * @throws {EmulatorRefusal} 400 for an invalid or expired token, or a weak password. A weak password does not use up the token.
 */
export function confirmPasswordReset(memory: Memory, token: string, newPassword: string): UserRecord {
  const { token: _, ...eventView } = workingReset(memory, token);
  const password = hashPassword(newPassword, 'new_password');
  memory.deleteWhere(passwordResets, 'userId', eventView.userId);
  setPassword(memory, eventView.userId, password);
  const user = memory.of(users).update(eventView.userId, {});
  memory.emit('password_reset.succeeded', eventView);
  memory.emit('user.updated', user);
  return user;
}

/** Find the password reset that a token belongs to. @throws {EmulatorRefusal} 400 for an invalid or expired token. */
export function workingReset(memory: Memory, token: string): PasswordResetRecord {
  const reset = memory.of(passwordResets).by('token', token);
  // If the user has changed the email address, the owner of the old mailbox must not set the password.
  if (!reset || userByEmail(memory, reset.email)?.id !== reset.userId)
    throw badRequest(
      'invalid_password_reset_token',
      'This token is unknown, was already used, or was sent to an address that the user no longer has. Send a new link',
    );
  if (memory.isPast(reset.expiresAt))
    throw badRequest('password_reset_token_expired', 'This link has expired; links work for one hour. Send a new one');
  return reset;
}
