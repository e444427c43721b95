// The first phase: may the sender reach the emulator?
import { type Answer, markAnswer } from '../http/answer.js';
import { refusalPageOrJson } from '../http/error-page.js';
import type { PathMatch } from '../http/route-table.js';
import type { EmulatorRefusal } from '../store/refusal.js';
import { noSuchWorld } from '../world/world-directory.js';
import type { Admitted, Arrival } from './context.js';
import { answerTo, isPreflight, ofOwnPage } from './cors.js';

/** Answer a request of another website or machine. */
export const refuseStranger = (request: Request, refusal: EmulatorRefusal | undefined): Answer | undefined =>
  refusal && markAnswer('stranger', refusalPageOrJson(request, refusal));

/** Refuse requests under the host name of a website, which may come from its pages. */
export const allowHost = ({ request, hosts }: Arrival): Answer | undefined =>
  refuseStranger(request, hosts?.refusalOf(request));

/** Find the endpoints at the path, for all methods. */
export const matchPath = ({ parts, path }: Arrival) => ({ matches: parts.paths.match(path) });

/** Refuse pages of other origins, except at endpoints that pages may call. Whether they may is decided when the world is known. */
export const admitPage = ({ request, hosts, matches }: Arrival & Pick<Admitted, 'matches'>) => {
  const origin = request.headers.get('origin');
  const endpoint = origin === null ? undefined : endpointForPages(matches);
  if (origin !== null && endpoint) {
    const page = { origin, endpoint };
    return { page, corsHeaders: ofOwnPage(page, request, hosts) };
  }
  return refuseStranger(request, origin === null ? undefined : hosts?.refusalOfOrigin(origin)) ?? programOrOwnPage;
};

const programOrOwnPage: Pick<Admitted, 'page' | 'corsHeaders'> = { page: undefined, corsHeaders: {} };

const endpointForPages = (matches: readonly PathMatch[]) =>
  matches.flatMap(({ endpoints }) => [...endpoints.values()].flat()).find(({ pages }) => pages);

/**
 * Find the world whose address the request was sent to, if it was not sent to the emulator's own. A preflight for an unknown world passes,
 * so that the page can read the answer to its request.
 */
export const worldOfAddress = ({ request, parts, page }: Arrival & Pick<Admitted, 'page'>) => {
  const name = parts.directory.nameIn(request);
  const addressee = name === undefined ? undefined : parts.directory.named(name);
  return name === undefined || addressee || (page && isPreflight(request))
    ? { addressee }
    : markAnswer('no-such-world', refusalPageOrJson(request, noSuchWorld(name), 'World not found'));
};

/** Answer a preflight to an endpoint that pages may call. */
export const answerPreflight = (admitted: Admitted): Answer | undefined =>
  admitted.page && isPreflight(admitted.request) ? answerTo(admitted.page, admitted) : undefined;
