import { within } from '../../async/time-limit.js';
import { isText } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { logoutUrl } from '../../oauth/logout-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import type { AuthenticationResponse } from '../../service/authentication.js';
import type { SignedInEvent, SignedInTarget } from '../handle/hooks.js';
import { type HookOutcome, runHook } from '../handle/run-hook.js';
import type { SessionContext } from '../handle/session-context.js';
import { homePath } from './redirect-address.js';

/** Milliseconds to revoke a session. */
const maxRevokeMs = 5_000;

/** Call `onSignedIn`. Returns where the user goes. If it fails, the session is revoked. */
export async function callSignedIn(
  context: SessionContext,
  { accessToken, refreshToken, oauthTokens = null, authenticationMethod = null }: AuthenticationResponse,
  event: Omit<SignedInEvent, 'oauthTokens' | 'authenticationMethod' | 'signal'>,
): Promise<HookOutcome<string>> {
  const { onSignedIn } = context.hooks;
  if (!onSignedIn) return { ok: true, value: event.returnTo };
  const secrets = [accessToken, refreshToken, ...Object.values(oauthTokens ?? {})].filter(isText);
  const outcome = await runHook(
    context,
    'onSignedIn',
    async (signal) =>
      addressOf(
        homePath(context, event.request),
        event.returnTo,
        await onSignedIn({ ...event, oauthTokens, authenticationMethod, signal }),
      ),
    secrets,
  );
  if (!outcome.ok) await revoke(context, event.session.sessionId).catch(() => undefined);
  return outcome;
}

/** Return where the user goes. Another site must be allowed. */
function addressOf(home: string, returnTo: string, target: SignedInTarget): string {
  if (target === undefined) return returnTo;
  if (typeof target !== 'object') return returnPath(target, home);
  const url = parsedUrl(target.redirectTo);
  return url && /^https?:$/.test(url.protocol) && target.allow.includes(url.origin)
    ? url.href
    : returnPath(target.redirectTo, home);
}

/** End a session at the service. The URL of the logout does so without an API key. */
const revoke = ({ baseUrl, fetcher }: SessionContext, sessionId: string): Promise<unknown> =>
  within(maxRevokeMs, (signal) => fetcher()(logoutUrl(baseUrl, sessionId, undefined), { redirect: 'manual', signal }));
