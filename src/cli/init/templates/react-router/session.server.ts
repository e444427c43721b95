import { createContext, type MiddlewareFunction } from 'react-router';
import { createSessions, type HandleResult, withSession } from 'sallyport/session';

export const sessions = createSessions();
export const authContext = createContext<HandleResult>();

export const sessionMiddleware: MiddlewareFunction<Response> = ({ request, context }, next) => {
  const goOn = (_: Request, auth: HandleResult) => {
    context.set(authContext, auth);
    return next();
  };
  const open = ['/', '/assets', '/favicon.ico', '/health'];
  return withSession(sessions, goOn, { protect: ['/'], open, routes: true })(request);
};
