import { requireSession } from 'sallyport/session';
import { sessions } from '../../../sallyport';

// Accepts the session cookie of browsers and access tokens.
export const GET = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));
