import type { SignInProblem } from 'sallyport/session';

/** Shown if the user lacks a permission or the sign-in failed. */
export const problemPage = ({ reason, sentence, tryAgain }: SignInProblem) => `<!doctype html>
<html lang="en">
<title>Harbour</title>
<link rel="icon" href="data:,">
<p>${reason === 'forbidden' ? 'You may not read reports' : sentence}</p>
<a href="${encodeURI(tryAgain)}">Try again</a>
</html>`;
