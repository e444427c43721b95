// Observability: log lines, hooks that make spans for OpenTelemetry, a diagnostics channel, and ids to report a problem with.
//
//   npx tsx examples/observability.ts

import { subscribe } from 'node:diagnostics_channel';
import { type ErrorRecord, type Hooks, isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { memoryStore, type StoreOperationRecord } from 'sallyport/stores';

interface Span {
  setAttributes(attributes: Record<string, string | number>): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The part of a tracer that the hooks use. `trace.getTracer('sallyport')` of @opentelemetry/api is one. */
interface Tracer {
  startSpan(name: string, options: { kind: number; attributes: Record<string, string | number> }): Span;
}

/** Make a span for each attempt of a call. Attempts of one call have the same `sallyport.call_id`. */
function spanHooks(tracer: Tracer): Hooks {
  const spans = new Map<string, Span>();
  const end = (key: string, problem: string | undefined, attributes: Record<string, string | number> = {}): void => {
    const span = spans.get(key);
    spans.delete(key);
    span?.setAttributes({ ...attributes, ...(problem && { 'error.type': problem }) });
    if (problem) span?.setStatus({ code: 2 }); // SpanStatusCode.ERROR
    span?.end();
  };
  return {
    onRequest: ({ callId, attempt, client, method, route }) => {
      const span = tracer.startSpan(`${method} ${route}`, {
        kind: 2, // SpanKind.CLIENT
        attributes: {
          'http.request.method': method,
          'url.template': route,
          'http.request.resend_count': attempt - 1,
          'sallyport.method': client,
          'sallyport.call_id': callId,
        },
      });
      spans.set(`${callId} ${attempt}`, span);
    },
    onResponse: ({ callId, attempt, status, requestId = '' }) =>
      end(`${callId} ${attempt}`, status >= 400 ? `${status}` : undefined, {
        'http.response.status_code': status,
        'sallyport.request_id': requestId,
      }),
    // Ends the span of an attempt without a response.
    onRetry: ({ callId, attempt, because }) => end(`${callId} ${attempt}`, because),
    onError: ({ callId, attempt, code }) => end(`${callId} ${attempt}`, code),
    onCancel: ({ callId, attempt }) => end(`${callId} ${attempt}`, undefined),
  };
}

/** Stands for a real tracer, and prints each span. */
const tracer: Tracer = {
  startSpan(name, { attributes }) {
    const all = { ...attributes };
    return {
      setAttributes: (more) => Object.assign(all, more),
      setStatus: () => undefined,
      end: () =>
        console.log('span', name, all['http.response.status_code'], `resend ${all['http.request.resend_count']}`),
    };
  },
};

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({
  ...emulator.credentials,
  fetch: emulator.fetch,
  // A level such as 'debug', an object with these methods, such as a logger of pino, or both.
  logger: { level: 'debug', to: console },
  hooks: spanHooks(tracer),
});

subscribe('sallyport:store:operation', (message) => {
  const { operation, outcome } = message as StoreOperationRecord;
  console.log('channel', operation, outcome);
});
await memoryStore().get('user_42');

// The first attempt is answered with status 503.
await emulator.faults.add({ operation: 'organizations.create', status: 503, times: 1 });
const { data, response } = await sallyport.organizations.createOrganization({ name: 'Acme' }).withResponse();
console.log('created', data.name, 'after', response.attempts, 'attempts; request', response.requestId);

// Only calls that failed for good.
const errors: ErrorRecord[] = [];
const counted = sallyport.with({ logger: 'off', hooks: { onError: (record) => errors.push(record) } });
try {
  await counted.organizations.getOrganization('org_unknown');
} catch (error) {
  if (!isSallyportError(error) || error.code !== 'not_found') throw error;
  console.log(error.method, error.route, error.status, 'request', error.requestId);
}
console.log(errors.map(({ client, code }) => `${client}: ${code}`).join(', '));

await emulator.close();
