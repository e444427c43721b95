import { nextSessions } from 'sallyport/next';
import { createSessions } from 'sallyport/session';

// Needs SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI in the environment.
export const sessions = createSessions();
export const next = nextSessions(sessions);
