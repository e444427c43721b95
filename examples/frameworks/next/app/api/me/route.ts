import { requireSession } from 'sallyport/session';
import { sessions } from '../../../sallyport';

// Accepts session cookies and access tokens.
export const GET = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true });
