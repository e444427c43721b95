import { nextSessions } from 'sallyport/next';
import { createSessions } from 'sallyport/session';

// The rest stands in SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY and SALLYPORT_COOKIE_PASSWORD.
export const home = process.env.HOME_URL ?? 'http://localhost:3000/';
export const sessions = createSessions({ redirectUri: `${home}callback` });
export const next = nextSessions(sessions);
