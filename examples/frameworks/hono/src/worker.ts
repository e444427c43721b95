import type { ExecutionContext } from 'hono';
import { application } from './app.js';

interface Env {
  /** Set it in development, to the address of the emulator. Without it, dialect `workos` uses the public service. */
  readonly SALLYPORT_BASE_URL?: string;
  readonly SALLYPORT_CLIENT_ID: string;
  readonly SALLYPORT_API_KEY: string;
  readonly SALLYPORT_COOKIE_PASSWORD: string;
  readonly SALLYPORT_REDIRECT_URI: string;
}

let app: ReturnType<typeof application> | undefined;

export default {
  fetch(request: Request, env: Env, context: ExecutionContext) {
    // A Worker receives its settings with each request, so create the sessions on the first request.
    app ??= application({
      dialect: 'workos',
      baseUrl: env.SALLYPORT_BASE_URL,
      clientId: env.SALLYPORT_CLIENT_ID,
      apiKey: env.SALLYPORT_API_KEY,
      cookiePassword: env.SALLYPORT_COOKIE_PASSWORD,
      redirectUri: env.SALLYPORT_REDIRECT_URI,
    });
    return app.fetch(request, env, context);
  },
};
