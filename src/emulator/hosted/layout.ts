import { isWebUri } from '../../redirect-uris/rules.js';
import type { Answer } from '../http/answer.js';
import { type Html, html, page } from '../http/html.js';
import type { Visitor } from '../http/visitor.js';
import type { AuthorizationRecord } from '../sign-in/authorizations/authorizations.js';
import type { Memory } from '../world/memory.js';
import { applicationOf } from './application.js';
import { FormFields, form, type HiddenFields } from './forms.js';
import { inboxOf } from './inbox-address.js';
import { addressOf, type PageName } from './steps.js';

/** The page, the authorization and the browser of a form. */
interface FormPlace {
  readonly page: PageName;
  readonly authorization: AuthorizationRecord;
  readonly visitor: Visitor;
}

/**
 * Create the function that renders the forms of a page. The forms post to the address of the page, where the browser stays after
 * an error. The values of `about` are part of the address and the form; those of `hidden` only of the form.
 */
export const formsOf =
  (
    { page, authorization, visitor }: FormPlace,
    {
      about = {},
      hidden = {},
    }: { readonly about?: Readonly<Record<string, string>>; readonly hidden?: HiddenFields } = {},
  ) =>
  (body: Html): Html =>
    form(
      visitor,
      addressOf(page, authorization, about),
      { authorization: authorization.token, ...about, ...hidden },
      body,
    );

/** Options of a hosted page. */
interface FrameOptions {
  /** Line under the title. Default: "to continue to" and the name of the application. */
  readonly lead?: Html;
  /** Fields of the page. If the submitted form has errors, they are shown and the status is 422. */
  readonly fields?: FormFields;
  /** Address or phone number that received a message. The footer links to its inbox. */
  readonly mailTo?: string;
}

/** Render a hosted page. */
export const frame = (
  { memory, authorization }: { readonly memory: Memory; readonly authorization: AuthorizationRecord },
  title: string,
  body: Html,
  { lead, fields = new FormFields(), mailTo }: FrameOptions = {},
): Answer =>
  page(
    fields.hasErrors ? 422 : 200,
    title,
    html`${fields.summary}
${body}`,
    {
      lead: lead ?? html`to continue to <strong>${applicationOf(memory, authorization)}</strong>`,
      wrong: fields.hasErrors,
      formTargets: formTargetsOf(authorization.redirectUri),
      footer:
        mailTo === undefined
          ? undefined
          : html`Sallyport emulator: messages stay on this machine. Read them in the <a href="${inboxOf(mailTo, authorization.clientId)}" target="_blank" rel="noopener">inbox<span class="unseen"> (opens in a new tab)</span></a>.`,
    },
  );

/** Get the home page of the application: the root of the redirect URI's origin. Native applications have none. */
export const homeOf = ({ redirectUri }: Pick<AuthorizationRecord, 'redirectUri'>): string | undefined =>
  isWebUri(redirectUri) ? `${new URL(redirectUri).origin}/` : undefined;

const isLocal = (hostname: string): boolean => /^(?:localhost|.*\.localhost|127\.0\.0\.1)$/.test(hostname);

/**
 * List the sources for the `form-action` policy of an authorization's pages. Browsers apply the policy to every redirect after a
 * form. The application's callback may redirect to ports and hosts that are not known here.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const { hostname, protocol } = new URL(redirectUri);
  if (!isWebUri(redirectUri) || !isLocal(hostname)) return [protocol];
  return ['localhost', '*.localhost', '127.0.0.1'].flatMap((host) => [`http://${host}:*`, `https://${host}:*`]);
}
