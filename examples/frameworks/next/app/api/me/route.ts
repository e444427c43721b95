import { requireSession } from 'sallyport/session';
import { sessions } from '../../../sallyport';

// Accepts session cookies and access tokens.
export const GET = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));
