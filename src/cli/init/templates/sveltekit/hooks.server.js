import { fillRoute, withSession } from 'sallyport/session';
import { sessions } from './lib/server/sessions';

export const handle = ({ event, resolve }) =>
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
