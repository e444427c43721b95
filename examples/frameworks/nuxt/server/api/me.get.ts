import { requireSession } from 'sallyport/session';
import { sessions } from '../middleware/session';

// For the cookie of a browser and for access tokens.
export default fromWebHandler(requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId })));
