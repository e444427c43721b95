import { requireSession } from 'sallyport/session';
import { sessions } from '../middleware/session';

// Accepts session cookies and access tokens.
export default fromWebHandler(requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true }));
