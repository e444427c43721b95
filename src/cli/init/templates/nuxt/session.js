import { createSessions, withSession } from 'sallyport/session';

export const sessions = createSessions();

export default defineEventHandler((event) =>
  withSession(
    sessions,
    (_, auth) => {
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
