import { requireSession } from 'sallyport/session';
import { sessions } from '../../../sallyport';

// For the cookie of a browser and for access tokens.
export const GET = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));
