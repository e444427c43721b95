import { serve } from '@hono/node-server';
import { application } from './app.js';

// Reads SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID, SALLYPORT_API_KEY, SALLYPORT_COOKIE_PASSWORD and
// SALLYPORT_REDIRECT_URI.
serve({ fetch: application().fetch, port: Number(process.env.PORT ?? 3000) });
