import { createContext } from 'react-router';
import { createSessions, withSession } from 'sallyport/session';

export const sessions = createSessions();
export const authContext = createContext();

export const sessionMiddleware = ({ request, context }, next) => {
  const goOn = (_, auth) => {
    context.set(authContext, auth);
    return next();
  };
  const open = ['/', '/assets', '/favicon.ico', '/health'];
  return withSession(sessions, goOn, { protect: ['/'], open, routes: true })(request);
};
