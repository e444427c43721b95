import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { RawAnswer } from '../../servers/send.js';
import { type StageOptions, stage } from '../../stage.js';

/** The default API key and client id of an emulator. */
export const apiKey = 'sk_test_sallyport_emulator';
export const clientId = 'client_sallyport_emulator';

/** Grant types outside the OAuth standard. */
export const urn = (name: string): string => `urn:service:oauth:grant-type:${name}`;

/** Starts an emulator, and returns functions that ask it for tokens with the key in the body and no Authorization header. */
export async function signingIn(options: StageOptions = {}) {
  const started = await stage(options);
  const { send } = started;
  const grant = (
    grantType: string,
    fields: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> =>
    send(
      'POST /user_management/authenticate',
      { client_id: clientId, client_secret: apiKey, grant_type: grantType, ...fields },
      { authorization: undefined, ...headers },
    );
  const byPassword = (email: string, fields: Readonly<Record<string, unknown>> = {}): Promise<RawAnswer> =>
    grant('password', { email, password: 'correct horse', ...fields });
  const refresh = (
    refreshToken: string,
    fields: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> => grant('refresh_token', { refresh_token: refreshToken, ...fields }, headers);
  const user = async (email: string, fields: Readonly<Record<string, unknown>> = {}) =>
    (
      await send('POST /user_management/users', {
        email,
        email_verified: true,
        password: 'correct horse',
        ...fields,
      })
    ).body as { readonly id: string };
  const organization = async (name: string, ...members: readonly { readonly id: string }[]): Promise<string> => {
    const { body } = await send('POST /organizations', { name });
    for (const { id } of members)
      await send('POST /user_management/organization_memberships', { user_id: id, organization_id: body.id });
    return body.id;
  };
  return { ...started, grant, byPassword, refresh, user, organization };
}

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string) => decodeJwt(token);
export const headerOf = (token: string) => decodeProtectedHeader(token);
