const { expressSession } = require('sallyport/express');
const { createSessions } = require('sallyport/session');

// Needs SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI in the environment.
const sessions = createSessions();

// Handles /sign-in, /callback and /sign-out. All other pages need a session, except the home page and everything below the other open paths.
const session = expressSession(sessions, {
  protect: ['/'],
  open: ['/', '/assets', '/favicon.ico', '/health'],
  routes: true,
});

module.exports = { sessions, session };
