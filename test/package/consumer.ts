import {
  ConfigurationError,
  isSallyportError,
  NotFoundError,
  type Organization,
  Sallyport,
  SallyportError,
} from 'sallyport';
import { BrowserError, createBrowserClient } from 'sallyport/browser';
import { createEmulator } from 'sallyport/emulator';
import { expressSession, requireSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { type CurrentSession, createSessions, withSession } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { on } from 'sallyport/streams';
import { receive, signWebhook, verifyWebhook, WebhookVerificationError, webhookHandler } from 'sallyport/webhooks';

export async function main(): Promise<void> {
  const emulator = await createEmulator();
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

  const organization: Organization = await sallyport.organizations.createOrganization({ name: 'Acme' });
  const createdAt: string = organization.createdAt;
  // @ts-expect-error No field has this name.
  organization.creatdAt;
  // @ts-expect-error A name is a string.
  sallyport.organizations.createOrganization({ name: 42 });

  for await (const user of sallyport.directorySync.listUsers({ directory: 'directory_42' })) {
    const id: string = user.id;
    // @ts-expect-error An id is a string.
    const wrong: number = user.id;
    void [id, wrong];
  }
  const page = await sallyport.userManagement.listUsers({ limit: 50 });
  const after: string | null | undefined = page.listMetadata.after;
  const { data, response } = await sallyport.organizations.getOrganization(organization.id).withResponse();
  const name: string = data.name;

  try {
    await sallyport.organizations.getOrganization('org_42', { timeoutMs: 1000, maxRetries: 0 });
  } catch (error) {
    if (error instanceof NotFoundError) void error.status.toFixed();
    if (error instanceof ConfigurationError) void error.code;
    if (isSallyportError(error)) void error.code.length;
  }
  const sigHeader = await signWebhook({ payload: '{}', secret: 'whsec_test', timestamp: 1_795_168_800_000 });
  const event = await verifyWebhook({ payload: '{}', sigHeader, secret: 'whsec_test' }).catch((error: unknown) => {
    if (error instanceof WebhookVerificationError && error.reason === 'clock_skew') return {};
    if (error instanceof SallyportError) return {};
    throw error;
  });
  const route: (request: Request) => Promise<Response> = webhookHandler({
    secret: 'whsec_test',
    client: sallyport,
    store: memoryStore(),
    handler: on({ 'user.created': (created) => void created.data.email.length }),
  });
  const received = await receive(new Request('https://app.acme.test/'), { secret: 'whsec_test' });
  // @ts-expect-error Without a client the event has its wire names, so it is not an Event.
  receive(new Request('https://app.acme.test/'), { secret: 'whsec_test', handler: on({}) }).catch(() => {});
  if (received.status === 'received') void received.event.created_at;
  else void received.error;
  void [route, received.status];
  const sessions = createSessions({
    ...emulator.credentials,
    cookiePassword: [{ id: '2026', secret: 'a cookie password of thirty-two characters or more' }],
    redirectUri: 'https://app.acme.test/callback',
  });
  const result = await sessions.handle(new Request('https://app.acme.test/'));
  switch (result.status) {
    case 'active':
    case 'refreshed': {
      const session: CurrentSession = result.session;
      void session.permissions.includes('reports:read');
      break;
    }
    case 'retry_later':
      void result.retryAfterMs.toFixed();
      break;
    case 'signed_out':
      // @ts-expect-error Who is signed out has no user.
      result.session.user;
  }
  // An environment variable may be missing, which is reported at run time.
  void (() => createSessions({ ...emulator.credentials, cookiePassword: undefined as string | undefined }));
  const handler: (request: Request) => Promise<Response> = withSession(sessions, () => new Response());
  void [
    expressSession(sessions),
    requireSession(sessions),
    fastifySession(sessions),
    honoSession(sessions),
    handler,
    nextSessions(sessions),
  ];

  const browser = createBrowserClient({
    clientId: 'client_42',
    baseUrl: 'https://api.acme.test',
    redirectUri: 'https://app.acme.test/callback',
  });
  const token: string | undefined = await browser.getAccessToken().catch((error: unknown) => {
    if (error instanceof BrowserError) return undefined;
    throw error;
  });
  void [token, createdAt, after, name, response.status, event];
  await emulator.close();
}
