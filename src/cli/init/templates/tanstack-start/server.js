import handler, { createServerEntry } from '@tanstack/react-start/server-entry';
import { withSession } from 'sallyport/session';
import { sessions } from './sessions';

const answer = (request, auth) => handler.fetch(request, { context: { auth } });
export default createServerEntry({
  fetch: withSession(sessions, answer, {
    protect: ['/'],
    open: ['/', '/assets', '/favicon.ico', '/health'],
    routes: true,
  }),
});
