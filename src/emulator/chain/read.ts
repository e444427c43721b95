// The third phase: what does the request say, and which world answers it?
import { type Answer, markAnswer, redirect, refusalAnswer } from '../http/answer.js';
import { wantsPage } from '../http/error-page.js';
import { parseBody, parseQuery, readBody as readText } from '../http/request-body.js';
import { choose, targetOf } from '../http/route-table.js';
import { dashboard, endUser } from '../world/actor.js';
import { refuseStranger } from './admit.js';
import { withBasicCredentials } from './basic-credentials.js';
import type { Call, Located } from './context.js';
import { mayRead, readable } from './cors.js';
import { noStore } from './locate.js';
import { notEmulated } from './unread-fields.js';

/** Read the query and the body. */
export async function readBody({ request, first, method, memory }: Located) {
  const maxBytes = Math.max(memory.settings.maxBodyBytes, first.route?.options.maxBytes ?? 0);
  return { query: parseQuery(request.url), body: method === 'GET' ? '' : await readText(request, maxBytes) };
}

type Read = Located & Pick<Call, 'body' | 'query'>;

/** Parse the body. An operation without a body ignores any that is sent. */
export function parse({ request, candidates, first, body, memory }: Read) {
  const { headers } = request;
  const isRead = candidates.some(({ page, route }) => page || route?.operation.io.body);
  const raw = isRead ? parseBody(body, headers.get('content-type')) : { value: undefined, texts: false };
  const takesBasic = memory.settings.dialect.isPublicService && first.route?.operation.io.auth === 'client_secret';
  return { raw: takesBasic ? withBasicCredentials(raw, headers.get('authorization')) : raw };
}

type Parsed = Read & Pick<Call, 'raw'>;

/**
 * Find the world that answers. A request without a key may name it by its address, or in its body or path. Browsers are redirected to
 * the address of the world, so that worlds do not share cookies.
 */
export function worldOfRequest(record: Parsed) {
  const { first, key, addressee, parts, request } = record;
  // With a key, keep the memory that has checked it.
  if (key) return { world: record.world, memory: record.memory };
  const isForAll = first.route?.options.forAdministrator;
  const world = addressee ?? (isForAll ? parts.directory.first : parts.directory.of(record));
  const { memory } = world;
  const isForBrowser = request.method === 'GET' && first.opensInBrowser && !first.page?.isFile && wantsPage(request);
  const url = addressee || !isForBrowser ? undefined : memory.separatePageUrl(targetOf(request));
  return url ? redirect(url).with(noStore) : { world, memory };
}

/** Allow the page to read the answer if the world allows its origin. Otherwise, refuse a page of another origin. */
export function allowReading(record: Parsed) {
  const { page, request, hosts, corsHeaders } = record;
  if (page?.endpoint.pages !== 'registered') return { corsHeaders };
  if (mayRead(page.origin, record)) return { corsHeaders: readable(page.origin) };
  return refuseStranger(request, hosts?.refusalOfOrigin(page.origin)) ?? { corsHeaders: {} };
}

/** Refuse fields that the service has and the emulator cannot act on. Before the choice, because a grant may be one of them. */
export function refuseFields({ candidates, raw, query, memory }: Parsed): Answer | undefined {
  if (!memory.settings.dialect.isPublicService) return undefined;
  const routes = candidates.flatMap(({ route }) => route ?? []);
  const refusal = notEmulated(routes, memory.codec, { body: raw.value, query });
  return refusal && markAnswer('not-emulated', refusalAnswer(refusal));
}

/** Choose between operations that share method and path, such as the grants of the token endpoint. */
export const chooseEndpoint = ({ candidates, first, raw, query, memory }: Parsed) => ({
  endpoint: candidates.length === 1 ? first : choose(candidates, { body: raw.value, query }, memory.settings.dialect),
});

/** Name the actor of the events that the request causes. */
export function actAs({ first, key, memory }: Located) {
  const actor = first.isControl ? dashboard : key && memory.keys.actorOf(key);
  return { actingMemory: memory.as(actor ?? endUser) };
}
