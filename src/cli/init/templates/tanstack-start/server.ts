import handler, { createServerEntry } from '@tanstack/react-start/server-entry';
import { type HandleResult, withSession } from 'sallyport/session';
import { sessions } from './sessions';

declare module '@tanstack/react-start' {
  interface Register {
    server: { requestContext: { auth: HandleResult } };
  }
}

const answer = (request: Request, auth: HandleResult) => handler.fetch(request, { context: { auth } });
export default createServerEntry({
  fetch: withSession(sessions, answer, {
    protect: ['/'],
    open: ['/', '/assets', '/favicon.ico', '/health'],
    routes: true,
  }),
});
