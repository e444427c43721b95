// The second phase: which endpoints is the request for, and may its key use them?
import { type Answer, type AnswerSource, json, markAnswer, refusalAnswer } from '../http/answer.js';
import { refusalPageOrJson, wantsPage } from '../http/error-page.js';
import { type Endpoint, isEmulatorPath } from '../http/route-table.js';
import { EmulatorRefusal } from '../store/refusal.js';
import { bearerOf, wrongWorldKey } from '../world/world-directory.js';
import { checkAdminKey } from './administrator.js';
import { refuseStranger } from './admit.js';
import type { Admitted, Located } from './context.js';
import { isMissing } from './missing-operations.js';

/** Path of the health check. */
export const healthPath = '/health';

/** Headers of answers that may be secret, or change with the next call. */
export const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const refuse = (
  source: AnswerSource,
  ...[status, code, message, headers]: [number, string, string, Located['headers']?]
) => markAnswer(source, refusalAnswer(new EmulatorRefusal(status, code, message, {}, headers)));

/** Find the endpoints at the path that accept the method. If a page and an operation share them, `Accept` decides. */
export function matchMethod({ path, method, matches, parts, request }: Admitted) {
  const isHealth = path === healthPath;
  if (isHealth && method === 'GET') return markAnswer('health', json(200, { status: 'ok' }));
  const methods = new Set<string>(isHealth ? ['GET'] : []);
  for (const { endpoints, valueAt } of matches) {
    const candidates = forProgramOrBrowser(endpoints.get(method) ?? [], request);
    const [first] = candidates;
    if (first) {
      const params = Object.fromEntries(first.names.map((name, index) => [name, valueAt(index)]));
      const source: AnswerSource | undefined = first.isControl ? 'control' : first.isOwn ? 'page' : undefined;
      return { candidates, first, params, source, headers: first.isControl ? noStore : {} };
    }
    // Another pattern may match the path too and accept the method.
    for (const other of endpoints.keys()) methods.add(other);
  }
  // All worlds have the same dialect.
  if (parts.directory.first.memory.settings.dialect.isPublicService && isMissing(method, path))
    return refuse(
      'not-emulated',
      501,
      'not_emulated',
      `The service has ${method} ${path}, but the emulator does not. Mock this request in your tests, or send it to a staging environment of the service. docs/operations.md lists the operations of the emulator`,
    );
  if (methods.size > 0) {
    const allow = [...methods].sort().join(', ');
    const message = `${path} does not accept ${request.method}, only ${allow}`;
    return refuse('method-not-allowed', 405, 'method_not_allowed', message, { allow });
  }
  const what = isEmulatorPath(path)
    ? `The emulator has no control ${request.method} ${path}. See docs/reference/controls.md for the list`
    : `The service has no operation ${request.method} ${path}. Check the path and the baseUrl`;
  return refuse('no-such-path', 404, 'not_found', what);
}

/** Choose the page or the operations at a path that has both. */
function forProgramOrBrowser(endpoints: readonly Endpoint[], request: Request): readonly Endpoint[] {
  const page = endpoints.find((endpoint) => endpoint.page);
  if (!page || endpoints.length === 1) return endpoints;
  return wantsPage(request) ? [page] : endpoints.filter((endpoint) => endpoint !== page);
}

type Matched = Admitted & Pick<Located, 'first' | 'params'>;

/** Refuse to open pages under unknown names, and to answer pages of other origins from the console or a control. */
export function allowPage({ request, hosts, first: { page, isOwn } }: Matched): Answer | undefined {
  const refusal = page && !page.isFile ? hosts?.refusalOfPage(request) : undefined;
  if (refusal) return markAnswer('page', refusalPageOrJson(request, refusal));
  const isPage = page !== undefined && !page.isFile && !page.isStream;
  return refuseStranger(request, isOwn ? hosts?.refusalOfOtherOrigin(request, { isPage }) : undefined);
}

/** Find the world of the API key. Its settings limit the body. */
export function worldOfKey({ request, addressee, parts }: Admitted) {
  const ofKey = parts.directory.ofKey(bearerOf(request));
  if (addressee && ofKey && ofKey !== addressee) throw wrongWorldKey(addressee);
  const world = ofKey ?? addressee ?? parts.directory.first;
  return { world, memory: world.memory };
}

/** Check the key. Operations that share a path either all need one, or none of them. */
export function authorize({ request, path, parts, first, memory }: Matched & Pick<Located, 'memory'>) {
  const { route } = first;
  if (route?.options.forAdministrator) checkAdminKey(parts.adminKey, bearerOf(request), parts.directory);
  else if (route && (route.operation.io.auth ?? 'api_key') === 'api_key')
    return { key: memory.keys.check(request.headers.get('authorization'), request.method, path) };
  return { key: undefined };
}
