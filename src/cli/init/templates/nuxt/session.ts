import { createSessions, type RequestLike, type WithSession, withSession } from 'sallyport/session';

declare module 'h3' {
  interface H3EventContext extends WithSession {}
}

export const sessions = createSessions();

export default defineEventHandler((event) =>
  withSession(
    sessions,
    (_: RequestLike, auth) => {
      event.context.auth = auth;
      for (const [name, value] of auth.headers) appendResponseHeader(event, name, value);
    },
    {
      protect: ['/'],
      open: ['/', '/_nuxt', '/__nuxt_error', '/favicon.ico', '/health'],
      routes: true,
    },
  )({ url: event.path, method: event.method, headers: event.headers }),
);
