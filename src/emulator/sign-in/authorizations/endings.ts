import { type Fields, part, ref, string, url } from '../../../service/describe/define.js';
import { Answer, pairsOfTexts } from '../../http/answer.js';
import { type Memory, table } from '../../world/memory.js';
import { authorizationCodes } from '../codes/authorization-codes.js';

const ending = part({
  /** Headers of the redirect to the application. */
  headers: pairsOfTexts,
  /** Redirect URI of the application. */
  redirectUri: url,
  /** Browser that started the authorization. */
  visitorId: string,
});
/** How an authorization ended. */
interface Ending extends Readonly<Fields<typeof ending>> {}

/** Maximum number of stored endings. The oldest are dropped first. */
const maxEndings = 1000;

/** Endings by the token of their authorization. */
const endings = table<Ending>('authorization ending', ref<Ending>(ending), undefined, 'id');

/** Record the redirect that ended an authorization, so that a second press of the button gets the same response. */
export function recordEnding(
  memory: Memory,
  { token, redirectUri, visitorId }: { readonly token: string } & Pick<Ending, 'redirectUri' | 'visitorId'>,
  { headers }: Answer,
): void {
  const all = memory.of(endings);
  for (let { first } = all; first && all.size >= maxEndings; { first } = all) all.delete(first[0]);
  all.set(token, { headers, redirectUri, visitorId });
}

/** Find the ending of the authorization with this token. */
export const endingOf = (memory: Memory, token: string): Ending | undefined => memory.of(endings).get(token);

/** Get the redirect that ended an authorization. Returns undefined if there is none, or its code was redeemed or has expired. */
export function repeatEnding(memory: Memory, token: string): Answer | undefined {
  const headers = endingOf(memory, token)?.headers;
  const location = headers?.find(([name]) => name === 'location')?.[1];
  if (headers === undefined || location === undefined) return undefined;
  const code = new URL(location).searchParams.get('code');
  const record = code === null ? undefined : memory.of(authorizationCodes).by('code', code);
  const isRepeatable =
    code === null || (record !== undefined && record.usedAt === null && !memory.isPast(record.expiresAt));
  return isRepeatable ? new Answer(302, null, headers) : undefined;
}
