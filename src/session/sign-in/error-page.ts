/** The problem that an error page describes: a failed sign-in, or a page the user may not open. */
export interface SignInProblem {
  /** HTTP status of the response. */
  readonly status: number;
  /**
   * A reason of `finishSignIn`, or:
   * - `temporarily_unavailable`: the session cannot be checked right now
   * - `unauthorized`: a form was submitted after the session had ended
   * - `forbidden`: the user lacks a permission that the path requires
   * - `cross_origin`: a page of another origin sent the form
   * - `bad_path`: the path contains escapes or dots that routers read in several ways
   */
  readonly reason: string;
  /** One sentence in English for the user. */
  readonly sentence: string;
  /**
   * Target of the link to try again: a path on this site, or empty for the same page. After `not_allowed`, the sign-in route of
   * `routes`, which lets the user choose another account.
   */
  readonly tryAgain: string;
  /** Code of `onSignedIn` if the reason is `not_allowed`; otherwise undefined. */
  readonly code?: string | undefined;
}

/** Sentences by reason. */
const sentences = new Map([
  ['denied', 'The sign-in was cancelled or refused.'],
  ['not_allowed', 'You may not sign in with this account.'],
  ['unauthorized', 'You are no longer signed in.'],
  ['forbidden', 'You may not open this page.'],
  ['cross_origin', 'This form was sent from another site.'],
  ['bad_path', 'This address is not valid.'],
  ['no_pending_flow', 'This sign-in is no longer valid.'],
  ['no_code', 'This sign-in is no longer valid.'],
  ['state_mismatch', 'This sign-in is no longer valid.'],
  ['expired', 'This sign-in is no longer valid.'],
]);

/** Describe the problem to the user in one sentence. */
export const problemSentence = (reason: string, status: number): string =>
  status > 499 ? 'Signing in is not possible right now.' : (sentences.get(reason) ?? 'You could not be signed in.');

const style = 'body{font:1.2em/1.5 system-ui;max-width:30em;margin:10vh auto;padding:1em}h1{font-size:1.3em}';

/** Content security policy that allows only the style above, by its SHA-256 hash. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'sha256-P4SidNuE3HILjqTX+kLuXO91idLdaBXZm7C+/DFigq4='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageOf = (heading: string, target: string, link: string, head = ''): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${head}<title>Sign in</title><style>${style}</style><main><h1>${heading}</h1><a href="${target}">${link}</a></main></html>`;

/** Create the default error page, as HTML. */
export const problemPage = ({ sentence, tryAgain }: SignInProblem): string =>
  pageOf(sentence, escapeHtml(tryAgain), 'Try again');

/** Create the page that leads a user on where a redirect would not, as HTML. */
export function onwardPage(url: string): string {
  const target = escapeHtml(url);
  return pageOf(
    'You are being redirected.',
    target,
    'Continue',
    `<meta http-equiv="refresh" content="0;url=${target}">`,
  );
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
