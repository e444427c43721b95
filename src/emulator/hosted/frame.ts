import type { Answer } from '../server/answer.js';
import { type Html, html, page } from '../server/html.js';
import type { Visitor } from '../server/visitor.js';
import type { AuthorizationRecord } from '../sign-in/authorizations.js';
import type { World } from '../world/world.js';
import { applicationOf } from './application.js';
import { form, type HiddenFields } from './forms.js';
import { inboxOf } from './inbox-address.js';

/** The pages by the last part of their path. */
export type HostedPage =
  | 'code'
  | 'enroll'
  | 'forgot-password'
  | 'identity-provider'
  | 'organization'
  | 'password'
  | 'provider'
  | 'second-factor'
  | 'sign-in'
  | 'sign-up'
  | 'single-sign-on'
  | 'verify-email';

/** Where a page is, for an authorization. */
export const addressOf = (
  name: HostedPage,
  { token }: AuthorizationRecord,
  more: Readonly<Record<string, string>> = {},
): string => `/hosted/${name}?${new URLSearchParams({ authorization: token, ...more })}`;

/**
 * Make the forms of a page. They carry the authorization, and what the page is about, to the page's own address, where
 * the browser stays when something is wrong.
 */
export const formsOf =
  (
    name: HostedPage,
    { authorization, visitor }: { readonly authorization: AuthorizationRecord; readonly visitor: Visitor },
    {
      about = {},
      hidden = {},
    }: { readonly about?: Readonly<Record<string, string>>; readonly hidden?: HiddenFields } = {},
  ) =>
  (body: Html): Html =>
    form(
      visitor,
      addressOf(name, authorization, about),
      { authorization: authorization.token, ...about, ...hidden },
      body,
    );

/** What a page of signing in has beside its title and body. */
export interface FrameOptions {
  /** A line under the title; where signing in leads when not given. */
  readonly lead?: Html;
  /** Whether something typed is wrong. */
  readonly wrong?: boolean;
  /** Whose mail is to be read for this page. */
  readonly mailTo?: string;
}

/** A page of signing in. Where something typed is wrong, the status is 422. */
export const frame = (
  { world, authorization }: { readonly world: World; readonly authorization: AuthorizationRecord },
  title: string,
  body: Html,
  { lead, wrong = false, mailTo }: FrameOptions = {},
): Answer =>
  page(wrong ? 422 : 200, title, body, {
    lead: lead ?? html`to continue to <strong>${applicationOf(world, authorization)}</strong>`,
    wrong,
    formTargets: formTargetsOf(authorization.redirectUri),
    footer:
      mailTo === undefined
        ? undefined
        : html`Sallyport emulator: nothing leaves this machine. What it sends is in the <a href="${inboxOf(mailTo, authorization.clientId)}" target="_blank" rel="noopener">inbox<span class="unseen"> (opens in a new tab)</span></a>.`,
  });

/** Where the application begins. */
export const homeOf = ({ redirectUri }: Pick<AuthorizationRecord, 'redirectUri'>): string =>
  `${new URL(redirectUri).origin}/`;

const isLocal = (hostname: string): boolean => /^(?:localhost|.*\.localhost|127\.0\.0\.1)$/.test(hostname);

/**
 * Where the forms of an authorization may lead. Browsers hold a form's policy against every redirect that follows it:
 * the one to the application, and those from its callback onwards, to another port or host of the application, which
 * are not known here.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const { hostname, protocol } = new URL(redirectUri);
  if (!isLocal(hostname)) return [protocol];
  return ['localhost', '*.localhost', '127.0.0.1'].flatMap((host) => [`http://${host}:*`, `https://${host}:*`]);
}
