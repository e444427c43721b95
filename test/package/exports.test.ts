import { expect, test } from 'vitest';

// Every export is a promise to users, and an unlisted one is an accident.
test.each([
  [
    'sallyport',
    () => import('sallyport'),
    `ApiError BadRequestError ConfigurationError ConflictError ConnectionError ForbiddenError
     HOSTED_LOGIN InvalidArgumentError NotFoundError RateLimitError RepeatedCursorError Sallyport SallyportError ServerError
     SignInStepError TimeoutError UnauthorizedError UnexpectedResponseError UnprocessableError WebhookVerificationError
     dialects eventNames isAuthorized isDirectoryActive isEvent isSallyportError matchesRedirectUri redirectUriProblem version
     webhookEventNames`,
  ],
  [
    'sallyport/session',
    () => import('sallyport/session'),
    `ConfigurationError InvalidArgumentError SallyportError cookiesOf createSessionReader createSessions createTokenVerifier fillRoute
     requireSession respond returnPath sessionCache withSession`,
  ],
  [
    'sallyport/webhooks',
    () => import('sallyport/webhooks'),
    'WebhookVerificationError receive signWebhook verifyWebhook webhookHandler',
  ],
  [
    'sallyport/browser',
    () => import('sallyport/browser'),
    'BrowserError ConfigurationError InvalidArgumentError SallyportError createBrowserClient createServerSession',
  ],
  [
    'sallyport/react',
    () => import('sallyport/react'),
    'SallyportError SessionProvider SignInLink SignOutButton useAccessToken usePermission useSession',
  ],
  [
    'sallyport/express',
    () => import('sallyport/express'),
    'callerOf appendHeaders expressSession requireSession respond sessionOf',
  ],
  [
    'sallyport/fastify',
    () => import('sallyport/fastify'),
    'callerOf appendHeaders fastifySession requireSession respond sessionOf',
  ],
  [
    'sallyport/hono',
    () => import('sallyport/hono'),
    'callerOf appendHeaders honoSession requireSession respond sessionOf',
  ],
  [
    'sallyport/stores',
    () => import('sallyport/stores'),
    'createStore memoryStore postgresStore postgresStoreTable redisStore',
  ],
  [
    'sallyport/streams',
    () => import('sallyport/streams'),
    'follow StreamError latest on memoryCheckpoint storeCheckpoint objectsOf exactlyOnce exactlyOnceTables followRevocations',
  ],
  ['sallyport/mirror', () => import('sallyport/mirror'), 'MirrorError mirror mirrorTables'],
  ['sallyport/testing', () => import('sallyport/testing'), 'TestBrowser mswHandlers storeContract testWorlds'],
  ['sallyport/next', () => import('sallyport/next'), 'nextSessions'],
])('the entry point %s exports exactly the documented names', async (_, load, promised) => {
  expect(Object.keys(await load()).sort()).toEqual(promised.split(/\s+/).sort());
});
