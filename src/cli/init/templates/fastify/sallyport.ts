import { fastifySession, type WithSession } from 'sallyport/fastify';
import { createSessions } from 'sallyport/session';

declare module 'fastify' {
  interface FastifyRequest extends WithSession {}
}

// Needs SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI in the environment.
export const sessions = createSessions();

// Handles /sign-in, /callback and /sign-out. All other pages need a session, except the home page and everything below the other open paths.
export const session = fastifySession(sessions, {
  protect: ['/'],
  open: ['/', '/assets', '/favicon.ico', '/health'],
  routes: true,
});
