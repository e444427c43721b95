/** Why somebody could not be signed in, for a page that tells them. */
export interface SignInProblem {
  /** Status of the answer. */
  readonly status: number;
  /** The reason as `finishSignIn` gives it; or `temporarily_unavailable`, where it is not known who is signed in. */
  readonly reason: string;
  /** What happened, in English. */
  readonly sentence: string;
  /** Where trying again begins: a path of this site; empty for the same page once more. */
  readonly tryAgain: string;
}

const sentences: Readonly<Record<string, string>> = {
  denied: 'The sign-in was cancelled or refused.',
  expired: 'This sign-in has expired or was begun in another browser.',
  temporarily_unavailable: 'This page cannot be shown at the moment.',
};

/** What happened, in a sentence: by its reason, or by the status of the answer. */
export const sentenceOf = (reason: string, status: number): string =>
  sentences[/^(no_|state_)/.test(reason) ? 'expired' : reason] ??
  (status < 500 ? 'You could not be signed in.' : 'Nobody can be signed in at the moment.');

const style = 'body{font:1.1em/1.5 system-ui;max-width:30em;margin:15vh auto;padding:0 1em}h1{font-size:1.4em}';

/** Nothing but the style above, known by its SHA-256. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'sha256-6EYlY0X1sxQlXn+DnaqyjUcL/OTRBqo/B76HpHcXwHA='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page as `respond` has it. */
export const problemPage = ({ sentence, tryAgain }: SignInProblem): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Sign in</title><style>${style}</style><main><h1>${escaped(sentence)}</h1><p><a href="${escaped(tryAgain)}">Try again</a></main></html>`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
