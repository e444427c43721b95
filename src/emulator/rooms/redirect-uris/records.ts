import { matchesRedirectUri } from '../../../redirect-uris/match.js';
import { isWebUri, type RedirectUriOptions, redirectUriProblem } from '../../../redirect-uris/rules.js';
import { part, ref, string, url } from '../../../service/describe/define.js';
import { conflict, unprocessable } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';
import { isPublicSuffix } from './public-suffix.js';

const redirectUriRecord = part({
  id: string,
  /** The URI as registered; it may contain a wildcard. */
  uri: url,
});
/** A registered redirect URI. */
interface RedirectUriRecord extends Stored<typeof redirectUriRecord> {}

/** Registered addresses that users may be sent to after they sign in or out. The first one without a wildcard is the default. */
export const redirectUris = collection<RedirectUriRecord>({
  object: 'redirect URI',
  prefix: 'redirect_uri',
  unique: ['uri'],
  record: ref(redirectUriRecord),
});

const rulesOf = ({ settings: { environment, dialect } }: Memory): RedirectUriOptions => ({
  environment,
  isPublicSuffix,
  dialect: dialect.isPublicService ? 'workos' : 'spec',
});

/** Schemes without a dot that a warning has named. */
const warnedSchemes = new Set<string>();

/** Return a warning if a redirect URI has a scheme without a dot. Returns one warning for each scheme. */
export function schemeWarning(uri: string): string | undefined {
  const scheme = uri.slice(0, uri.indexOf(':'));
  if (isWebUri(uri) || scheme.includes('.') || warnedSchemes.has(scheme)) return undefined;
  warnedSchemes.add(scheme);
  return `The redirect URI ${uri} has the scheme ${scheme}, which has no dot. Another application on a device may have the same scheme, and then receives the codes. Use your domain in reverse, such as com.example.app:/callback (RFC 8252, section 7.1)`;
}

/** Register a redirect URI. @throws {EmulatorRefusal} 422 if it breaks a rule, 409 if it is already registered. */
export function addRedirectUri(memory: Memory, uri: string): RedirectUriRecord {
  const problem = redirectUriProblem(uri, rulesOf(memory));
  if (problem) {
    const { rule, message } = problem;
    throw unprocessable([{ field: '', code: rule, message: `${message} (${rule})` }], 'invalid_redirect_uri');
  }
  if (memory.of(redirectUris).by('uri', uri))
    throw conflict('redirect_uri_already_exists', `The redirect URI ${uri} is already registered`);
  const warning = schemeWarning(uri);
  if (warning) console.warn(warning);
  return memory.of(redirectUris).insert({ uri });
}

/**
 * Whether a page of this origin may request tokens. It may if users may be sent to this origin. Redirect URIs of native applications
 * allow no page.
 */
export function allowsOrigin(memory: Memory, origin: string): boolean {
  if (!isWebUri(origin)) return false;
  const addresses = memory
    .of(redirectUris)
    .values()
    .filter(({ uri }) => isWebUri(uri))
    .map(({ uri }) => uri.replace(/^[a-z]+:\/\/[^/?#]*/, () => origin));
  return [origin, ...addresses].some((uri) => allowsRedirectUri(memory, uri));
}

/**
 * Whether users may be sent to an address. If a staging world has no redirect URI, all addresses of this machine are allowed, and the
 * native application that `sallyport dev` was started for, so that an emulator works without setup. This is safe, because users are
 * never sent to another machine.
 */
export function allowsRedirectUri(memory: Memory, uri: string): boolean {
  const registered = memory.of(redirectUris);
  const rules = rulesOf(memory);
  if (registered.size === 0 && memory.settings.environment === 'staging')
    return isWebUri(uri) ? isOnThisMachine(uri, rules) : uri === memory.settings.redirectUri;
  return registered.values().some((one) => matchesRedirectUri(one.uri, uri, rules));
}

/**
 * Get the redirect URI for requests that name none: that of the application that `sallyport dev` runs, or the first registered
 * one without a wildcard. It is never one of a native application.
 */
export function defaultRedirectUri(memory: Memory): string | undefined {
  const { redirectUri } = memory.settings;
  if (redirectUri !== undefined && isWebUri(redirectUri) && allowsRedirectUri(memory, redirectUri)) return redirectUri;
  return memory
    .of(redirectUris)
    .values()
    .find(({ uri }) => isWebUri(uri) && !uri.includes('*'))?.uri;
}

const isOnThisMachine = (uri: string, rules: RedirectUriOptions): boolean =>
  !uri.includes('*') &&
  !redirectUriProblem(uri, rules) &&
  /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(new URL(uri).hostname);
