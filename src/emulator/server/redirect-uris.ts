import { matchesRedirectUri } from '../../redirect-uris/match.js';
import { type RedirectUriOptions, redirectUriProblem } from '../../redirect-uris/rules.js';
import { part, ref, string, url } from '../../service/describe/define.js';
import { conflict, unprocessable } from '../world/refusal.js';
import { collection, type World } from '../world/world.js';
import { isPublicSuffix } from './public-suffix.js';

/** An address to which users may be sent after they have signed in. */
export interface RedirectUriRecord {
  readonly id: string;
  /** As it was registered, perhaps with a wildcard. */
  readonly uri: string;
}

/** Where users may be sent after they have signed in or out; the first one is the default. */
export const redirectUris = collection<RedirectUriRecord>({
  object: 'redirect URI',
  prefix: 'redirect_uri',
  unique: ['uri'],
  record: ref<RedirectUriRecord>(part({ id: string, uri: url })),
});

const rulesOf = (world: World): RedirectUriOptions => ({ environment: world.settings.environment, isPublicSuffix });

/** Allow users to be sent to an address. @throws {Refusal} 422 for what breaks a rule, 409 for one that is known. */
export function addRedirectUri(world: World, uri: string): RedirectUriRecord {
  const problem = redirectUriProblem(uri, rulesOf(world));
  if (problem) {
    const { rule, message } = problem;
    throw unprocessable([{ field: '', code: rule, message: `${message} (${rule})` }], 'invalid_redirect_uri');
  }
  if (world.of(redirectUris).by('uri', uri))
    throw conflict('redirect_uri_already_exists', `There already is a redirect URI ${uri}`);
  return world.of(redirectUris).insert({ uri });
}

/** Whether a page of this origin may ask for tokens: an address to which users may be sent is there. */
export function allowsOrigin(world: World, origin: string): boolean {
  const addresses = world
    .of(redirectUris)
    .values()
    .map(({ uri }) => uri.replace(/^[a-z]+:\/\/[^/?#]*/, () => origin));
  return [origin, ...addresses].some((uri) => allowsRedirectUri(world, uri));
}

/**
 * Whether users may be sent to an address. In a staging world in which nothing is registered every address of this
 * machine will do, so that an emulator works without being set up; nobody else can be reached by that.
 */
export function allowsRedirectUri(world: World, uri: string): boolean {
  const registered = world.of(redirectUris);
  const rules = rulesOf(world);
  if (registered.size === 0 && world.settings.environment === 'staging') return isOnThisMachine(uri, rules);
  return registered.values().some((one) => matchesRedirectUri(one.uri, uri, rules));
}

/**
 * Where users arrive when a request names no redirect URI: at the application that runs with the emulator, or at the first registered
 * address without a wildcard.
 */
export function defaultRedirectUri(world: World): string | undefined {
  const { redirectUri } = world.settings;
  if (redirectUri !== undefined && allowsRedirectUri(world, redirectUri)) return redirectUri;
  return world
    .of(redirectUris)
    .values()
    .find(({ uri }) => !uri.includes('*'))?.uri;
}

const isOnThisMachine = (uri: string, rules: RedirectUriOptions): boolean =>
  !uri.includes('*') &&
  !redirectUriProblem(uri, rules) &&
  /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(new URL(uri).hostname);
