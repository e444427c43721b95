import { fastifySession } from 'sallyport/fastify';
import { createSessions } from 'sallyport/session';

// Its options stand in SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI.
export const sessions = createSessions();

// Answers /sign-in, /callback and /sign-out, and sends strangers from the other paths to the sign-in and back.
export const session = fastifySession(sessions, { protect: ['/account'], routes: true });
