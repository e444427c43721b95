import { nextSessions } from 'sallyport/next';
import { createSessions } from 'sallyport/session';

// Reads SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI.
export const sessions = createSessions();
export const next = nextSessions(sessions);
