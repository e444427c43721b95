/** Why somebody could not be signed in, or may not open a page, for a page that tells them. */
export interface SignInProblem {
  /** Status of the answer. */
  readonly status: number;
  /**
   * The reason as `finishSignIn` gives it; `temporarily_unavailable`, where it is not known who is signed in; `unauthorized`, where
   * somebody sends a form after the session has ended; `forbidden`, where users lack what a protected path asks for; or `bad_path`, if
   * the address has escapes or dots that routers read in several ways.
   */
  readonly reason: string;
  /** What happened, in English. */
  readonly sentence: string;
  /** Where trying again begins: a path of this site; empty for the same page once more. */
  readonly tryAgain: string;
}

/** What happened, in a sentence. */
export const sentenceOf = (reason: string, status: number): string =>
  status > 499
    ? 'Signing in does not work at the moment.'
    : reason === 'denied'
      ? 'The sign-in was cancelled or refused.'
      : reason === 'unauthorized'
        ? 'You are no longer signed in.'
        : reason === 'forbidden'
          ? 'You may not open this page.'
          : reason === 'bad_path'
            ? 'This address is not valid.'
            : /^(no_|state_|expired)/.test(reason)
              ? 'This sign-in is no longer valid.'
              : 'You could not be signed in.';

const style = 'body{font:1.2em/1.5 system-ui;max-width:30em;margin:10vh auto;padding:1em}h1{font-size:1.3em}';

/** Nothing but the style above, known by its SHA-256. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'sha256-P4SidNuE3HILjqTX+kLuXO91idLdaBXZm7C+/DFigq4='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page as `respond` has it. */
export const problemPage = ({ sentence, tryAgain }: SignInProblem): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Sign in</title><style>${style}</style><main><h1>${sentence}</h1><a href="${escaped(tryAgain)}">Try again</a></main></html>`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
