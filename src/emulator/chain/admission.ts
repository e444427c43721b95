// Steps that decide who may send a request.
import { markAnswer } from '../http/answer.js';
import { refusalPageOrJson } from '../http/error-page.js';
import { bearerOf } from '../world/world-directory.js';
import { checkAdminKey } from './administrator.js';
import { isEmulatorPath, type Step } from './context.js';
import { crossOrigin } from './cors.js';

/** Find out what the page that sent the request may read. First, because `allowHost` depends on it. */
export const cors: Step = (context, next) => (context.request.headers.has('origin') ? ofPage(context, next) : next());

const ofPage: Step = async (context, next) => {
  context.crossOrigin = await crossOrigin(context);
  return next();
};

/** Refuse requests under the host name of a website, which may come from its pages. */
export const allowHost: Step = ({ request, hosts, crossOrigin }, next) => {
  const refusal = hosts?.refusalOf(request, { mayRead: crossOrigin !== undefined });
  return refusal ? markAnswer('stranger', refusalPageOrJson(request, refusal)) : next();
};

/** Answer a preflight. The answers to other requests of the page get its CORS headers. */
export const answerPreflight: Step = (context, next) => {
  if (!context.crossOrigin) return next();
  const { headers, preflight } = context.crossOrigin;
  context.headers = { ...context.headers, ...headers };
  return preflight ?? next();
};

/** Refuse to open pages under unknown names, and to answer pages of other origins from the console or a control. */
export const allowPage: Step = ({ request, hosts, path, endpoints: [first] }, next) => {
  const page = first?.page;
  const refusal = page && !page.isFile ? hosts?.refusalOfPage(request) : undefined;
  if (refusal) return markAnswer('page', refusalPageOrJson(request, refusal));
  const isPage = page !== undefined && !page.isFile && !page.isStream;
  const otherOrigin = isEmulatorPath(path) ? hosts?.refusalOfOtherOrigin(request, { isPage }) : undefined;
  return otherOrigin ? markAnswer('stranger', refusalPageOrJson(request, otherOrigin)) : next();
};

/** Check the key. Operations that share a path either all need one, or none of them. */
export const authorize: Step = (context, next) => {
  const { request, path, parts, endpoints, memory } = context;
  const { route, page } = endpoints[0]!;
  if (route?.options.forAdministrator) checkAdminKey(parts.adminKey, bearerOf(request), parts.directory);
  else if ((route?.operation.io.auth ?? (page ? 'none' : 'api_key')) === 'api_key')
    context.key = memory.keys.check(request.headers.get('authorization'), request.method, path);
  return next();
};
