// Steps that find the endpoint of a request, and read its body.
import { json, markAnswer } from '../http/answer.js';
import { wantsPage } from '../http/error-page.js';
import { parseBody, parseQuery, readBody as readText } from '../http/request-body.js';
import { choose, type Endpoint } from '../http/route-table.js';
import { Refusal } from '../store/refusal.js';
import { withBasicCredentials } from './basic-credentials.js';
import { isEmulatorPath, noStore, type Step } from './context.js';
import { isMissing } from './missing-operations.js';
import { notEmulated } from './unread-fields.js';

const healthPath = '/health';

/** Find the endpoints at the path that accept the method. If a page and an operation share them, `Accept` decides. */
export const match: Step = (context, next) => {
  const { path, method, request, parts } = context;
  const isHealth = path === healthPath;
  if (isHealth && method === 'GET') return markAnswer('health', json(200, { status: 'ok' }));
  const methods = new Set<string>(isHealth ? ['GET'] : []);
  for (const { endpoints, valueAt } of parts.paths.match(path)) {
    const found = endpoints.get(method);
    if (found) {
      context.endpoints = forProgramOrBrowser(found, request);
      context.valueAt = valueAt;
      const [first] = context.endpoints;
      if (first!.page && isEmulatorPath(path)) context.source = 'page';
      if (first!.isControl) {
        context.source = 'control';
        context.headers = { ...context.headers, ...noStore };
      }
      return next();
    }
    // Another pattern may match the path too and accept the method.
    for (const other of endpoints.keys()) methods.add(other);
  }
  // All worlds have the same dialect.
  const { dialect } = parts.directory.first.memory.settings;
  if (dialect.isPublicService && isMissing(method, path)) {
    context.source = 'not-emulated';
    throw new Refusal(
      501,
      'not_emulated',
      `The service has ${method} ${path}, but the emulator does not. Mock this request in your tests, or send it to a staging environment of the service. docs/operations.md lists the operations of the emulator`,
    );
  }
  if (methods.size > 0) {
    const allow = [...methods].sort().join(', ');
    context.source = 'method-not-allowed';
    throw new Refusal(
      405,
      'method_not_allowed',
      `${path} does not accept ${request.method}, only ${allow}`,
      {},
      { allow },
    );
  }
  context.source = 'no-such-path';
  const what = isEmulatorPath(path)
    ? `The emulator has no control ${request.method} ${path}. See docs/reference/controls.md for the list`
    : `The service has no operation ${request.method} ${path}. Check the path and the baseUrl`;
  throw new Refusal(404, 'not_found', what);
};

/** Choose the page or the operations at a path that has both. */
function forProgramOrBrowser(endpoints: readonly Endpoint[], request: Request): readonly Endpoint[] {
  const page = endpoints.find((endpoint) => endpoint.page);
  if (!page || endpoints.length === 1) return endpoints;
  return wantsPage(request) ? [page] : endpoints.filter((endpoint) => endpoint !== page);
}

/** Read and parse the query and the body. An operation without a body ignores any that is sent. */
export const readBody: Step = async (context, next) => {
  const { request, endpoints, method } = context;
  const { maxBodyBytes, dialect } = context.memory.settings;
  const [first] = endpoints;
  const authorization = request.headers.get('authorization');
  context.query = parseQuery(request.url);
  if (method !== 'GET')
    context.body = await readText(request, Math.max(maxBodyBytes, first!.route?.options.maxBytes ?? 0));
  if (endpoints.some(({ page, route }) => page || route?.operation.io.body))
    context.raw = parseBody(context.body, request.headers.get('content-type'));
  if (dialect.isPublicService && first!.route?.operation.io.auth === 'client_secret')
    context.raw = withBasicCredentials(context.raw, authorization);
  return next();
};

/** Refuse fields that the service has and the emulator cannot act on. Before the choice, because a grant may be one of them. */
export const refuseFields: Step = (context, next) => {
  const { endpoints, raw, query, memory } = context;
  if (!memory.settings.dialect.isPublicService) return next();
  const routes = endpoints.flatMap(({ route }) => route ?? []);
  const refusal = notEmulated(routes, memory.codec, { body: raw.value, query });
  if (!refusal) return next();
  context.source = 'not-emulated';
  throw refusal;
};

/** Choose between operations that share method and path, such as the grants of the token endpoint. */
export const chooseEndpoint: Step = (context, next) => {
  const { endpoints, raw, query, memory, valueAt } = context;
  const [first, second] = endpoints;
  context.endpoint = second ? choose(endpoints, { body: raw.value, query }, memory.settings.dialect) : first!;
  context.params = Object.fromEntries(context.endpoint.names.map((name, index) => [name, valueAt(index)]));
  return next();
};
