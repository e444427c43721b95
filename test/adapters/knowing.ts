import { createSessions, type HandleResult, type Sessions } from 'sallyport/session';
import { password } from '../session/signed-in.js';

/** The result for a user who is signed out, with headers for the answer. */
export const signedOut = (...headers: [name: string, value: string][]): HandleResult => ({
  status: 'signed_out',
  session: null,
  reason: 'malformed',
  headers: new Headers(headers),
});

/** Sessions that say the same of every request, and count how often they are asked. */
export const knowing = (result: HandleResult): Sessions & { asked: number } => ({
  ...createSessions({ cookiePassword: password, clientId: 'client_42', baseUrl: 'https://api.example.com' }),
  asked: 0,
  async handle() {
    this.asked++;
    return result;
  },
});
