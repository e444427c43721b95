import type { Handle } from '@sveltejs/kit/hooks';
import { fillRoute, withSession } from 'sallyport/session';
import { sessions } from './lib/server/sessions';

export const handle: Handle = ({ event, resolve }) =>
  withSession(
    sessions,
    (_, auth) => {
      event.locals.auth = auth;
      return resolve(event);
    },
    {
      protect: ['/'],
      open: ['/', '/_app/immutable', '/favicon.ico', '/health'],
      routes: true,
    },
  )(Object.assign(event.request, { routePath: fillRoute(event.route.id, event.params) }));
