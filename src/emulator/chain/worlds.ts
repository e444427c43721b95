// Steps that find the world of a request, and the actor.
import { markAnswer, redirect } from '../http/answer.js';
import { refusalPageOrJson, wantsPage } from '../http/error-page.js';
import { dashboard, endUser } from '../world/actor.js';
import { bearerOf, noSuchWorld, wrongWorldKey } from '../world/world-directory.js';
import { noStore, opensInBrowser, type Step, targetOf } from './context.js';

/** Find the world whose address the request was sent to, if it was not sent to the emulator's own. */
export const worldOfAddress: Step = (context, next) => {
  const { request, parts } = context;
  const name = parts.directory.nameIn(request);
  if (name === undefined) return next();
  context.addressee = parts.directory.named(name);
  return context.addressee
    ? next()
    : markAnswer('no-such-world', refusalPageOrJson(request, noSuchWorld(name), 'World not found'));
};

/** Find the world of the API key. Its settings limit the body. */
export const worldOfKey: Step = (context, next) => {
  const { request, addressee, parts } = context;
  const ofKey = parts.directory.ofKey(bearerOf(request));
  if (addressee && ofKey && ofKey !== addressee) throw wrongWorldKey(addressee);
  context.world = ofKey ?? addressee ?? parts.directory.first;
  context.memory = context.world.memory;
  return next();
};

/** Find the world that answers. A request without a key may name it by its address, or in its body or path. */
export const worldOfRequest: Step = (context, next) => {
  const { endpoint, key, addressee, parts, params, query, raw, request } = context;
  if (key) return next();
  const { directory } = parts;
  const isForAll = endpoint.route?.options.forAdministrator;
  context.world = addressee ?? (isForAll ? directory.first : directory.of({ params, query, raw, request }));
  return next();
};

/** Redirect browsers to the address of the world, so that worlds do not share cookies. */
export const redirectToOwnAddress: Step = ({ addressee, endpoint, request, world }, next) => {
  const isForBrowser =
    request.method === 'GET' && opensInBrowser(endpoint) && !endpoint.page?.isFile && wantsPage(request);
  const url = addressee || !isForBrowser ? undefined : world.memory.separatePageUrl(targetOf(request));
  return url ? redirect(url).with(noStore) : next();
};

/** Take the memory of the world, and name the actor of the events that the request causes. */
export const actAs: Step = (context, next) => {
  const { endpoint, key, world } = context;
  // With a key, keep the memory that has checked it.
  if (!key) context.memory = world.memory;
  const { memory } = context;
  const actor = endpoint.isControl ? dashboard : key && memory.keys.actorOf(key);
  context.actingMemory = memory.as(actor ?? endUser);
  return next();
};
