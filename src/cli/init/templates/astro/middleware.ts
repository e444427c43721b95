import { defineMiddleware } from 'astro:middleware';
import { createSessions, fillRoute, withSession } from 'sallyport/session';

export const sessions = createSessions();

export const onRequest = defineMiddleware(({ locals, request, routePattern, params }, next) =>
  withSession(
    sessions,
    (_, auth) => {
      locals.auth = auth;
      return next();
    },
    { protect: ['/'], open: ['/', '/404', '/_astro', '/favicon.ico', '/health'], routes: true },
  )(Object.assign(request, { routePath: fillRoute(routePattern, params) })),
);
