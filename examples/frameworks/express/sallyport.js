import { expressSession } from 'sallyport/express';
import { createSessions } from 'sallyport/session';

// Reads SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI.
export const sessions = createSessions();

// Handles /sign-in, /callback and /sign-out, and redirects signed-out users from protected paths to the sign-in and back.
export const session = expressSession(sessions, { protect: ['/account', '/reports', '/stream'], routes: true });
