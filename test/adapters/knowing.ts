import { createSessions, type HandleResult, type Sessions } from 'sallyport/session';
import { password } from '../session/signed-in.js';

/** The result for a user who is signed out, with headers for the response. */
export const signedOut = (...headers: [name: string, value: string][]): HandleResult => ({
  status: 'signed_out',
  session: null,
  reason: 'malformed',
  headers: new Headers(headers),
});

/** Sessions with the same result for every request, which count their calls. */
export const knowing = (result: HandleResult): Sessions & { asked: number } => ({
  ...createSessions({ cookiePassword: password, clientId: 'client_42', baseUrl: 'https://api.example.com' }),
  asked: 0,
  async handle() {
    this.asked++;
    return result;
  },
});
