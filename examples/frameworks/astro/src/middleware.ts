import { defineMiddleware } from 'astro:middleware';
import { withSession } from 'sallyport/session';
import { sessions } from './sessions';

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
