import type { Handle } from '@sveltejs/kit/hooks';
import { withSession } from 'sallyport/session';
import { sessions } from './lib/server/sessions';

export const handle: Handle = ({ event, resolve }) =>
  withSession(
    sessions,
    (_, auth) => {
      event.locals.auth = auth;
      return resolve(event);
    },
    { protect: ['/account', '/reports', '/stream'], maxAgeMs: { '/password': 300_000 }, routes: true },
  )(event.request);
