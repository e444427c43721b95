import { defineMiddleware } from 'astro:middleware';
import { createSessions, withSession } from 'sallyport/session';

export const sessions = createSessions();

export const onRequest = defineMiddleware(({ locals, request }, next) =>
  withSession(
    sessions,
    (_, auth) => {
      locals.auth = auth;
      return next();
    },
    { protect: ['/account'], routes: true },
  )(request),
);
