import { serve } from '@hono/node-server';
import { application } from './app.js';

// Needs SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and SALLYPORT_REDIRECT_URI in the
// environment.
serve({ fetch: application().fetch, port: Number(process.env.PORT ?? 3000) });
