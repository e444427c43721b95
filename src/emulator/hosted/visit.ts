import { Answer } from '../http/answer.js';
import { errorPage } from '../http/error-page.js';
import type { PageExchange, Router } from '../http/router.js';
import { type AuthorizationRecord, authorizationBy, authorizations } from '../sign-in/authorizations/authorizations.js';
import { endingOf, repeatEnding } from '../sign-in/authorizations/endings.js';
import { type Progress, progressOf } from '../sign-in/authorizations/progress.js';
import { EmulatorRefusal } from '../store/refusal.js';
import type { Memory } from '../world/memory.js';
import { applicationOf } from './application.js';
import { type FormError, fieldText } from './forms.js';
import { homeOf } from './layout.js';
import { addressOf, goToCurrentStep, type PageName } from './steps.js';

/** A request to a hosted page, with its authorization. */
export interface Visit extends Pick<PageExchange, 'memory' | 'query' | 'body' | 'request' | 'visitor'> {
  readonly page: PageName;
  readonly authorization: AuthorizationRecord;
  readonly progress: Progress;
}

/** The result of a visit, or undefined if another page must ask for the current step. */
export type PageAnswer = Answer | undefined;

/** A hosted page. */
export interface HostedPage {
  /** Renders the page, with errors if there are any. */
  readonly render: (visit: Visit, errors?: readonly FormError[]) => PageAnswer | Promise<PageAnswer>;
  /** Handles the submitted form. Errors of the service are shown on the page. */
  readonly handle: (visit: Visit) => PageAnswer | Promise<PageAnswer>;
  /** Error messages of the page, by error code. */
  readonly wordings?: Readonly<Record<string, FormError>>;
}

/**
 * Serve a hosted page. It requires the token of an authorization, in the query of a GET request or the form of a POST request. It
 * also requires the browser that started the authorization.
 */
export function serveHostedPage(router: Router, page: PageName, { render, handle, wordings = {} }: HostedPage): void {
  const path = `/hosted/${page}`;

  router.page(
    'GET',
    path,
    async (exchange) => {
      const token = exchange.query.get('authorization') ?? '';
      if (isFromOtherBrowser(exchange, token)) return otherBrowserPage();
      const visit = visitOf(exchange, token, page);
      if (visit instanceof Answer) return visit;
      return withErrorPage(visit, () => render(visit));
    },
    { isHosted: true },
  );

  router.page(
    'POST',
    path,
    async (exchange) => {
      const token = fieldText(exchange.body, 'authorization');
      if (isFromOtherBrowser(exchange, token)) return otherBrowserPage();
      // After a double click, the browser shows the second response, so it must equal the first.
      const repeated = repeatEnding(exchange.memory, token);
      if (repeated) return repeated;
      const visit = visitOf(exchange, token, page);
      if (visit instanceof Answer) return visit;
      return withErrorPage(visit, async () => {
        try {
          return await handle(visit);
        } catch (error) {
          if (!(error instanceof EmulatorRefusal) || error.status === 429) throw error;
          // A concurrent request may have ended or continued the authorization.
          const ended = repeatEnding(exchange.memory, token);
          if (ended) return ended;
          const current = visitOf(exchange, token, page);
          if (current instanceof Answer) return current;
          if (current.authorization.signIn !== visit.authorization.signIn) return undefined;
          return render(current, [wordings[error.code] ?? { field: null, message: error.message }]);
        }
      });
    },
    { isHosted: true },
  );
}

/**
 * Check whether another browser started the sign-in with this token. A leaked link must not reveal anything about the sign-in.
 */
function isFromOtherBrowser({ memory, visitor }: PageExchange, token: string): boolean {
  const authorization = memory.of(authorizations).by('token', token) ?? endingOf(memory, token);
  return authorization !== undefined && !visitor.hasStarted(authorization);
}

const otherBrowserPage = (): Answer =>
  errorPage(
    403,
    'This sign-in began in another browser',
    'Only that browser can continue it. To sign in here, go back to the application and start again. If you did start in this browser, allow cookies for this address.',
  );

function visitOf(
  { memory, query, body, request, visitor }: PageExchange,
  token: string,
  page: PageName,
): Visit | Answer {
  const authorization = authorizationBy(memory, token);
  if (authorization)
    return { memory, query, body, request, visitor, page, authorization, progress: progressOf(memory, authorization) };
  const ending = endingOf(memory, token);
  if (ending) return endedPage(memory, ending, 'You have already finished', 'This sign-in has ended.');
  const expiredAuthorization = memory.of(authorizations).by('token', token);
  if (expiredAuthorization)
    return endedPage(memory, expiredAuthorization, 'This sign-in has expired', 'You have half an hour to sign in.');
  return errorPage(
    404,
    'Sign-in not found',
    'This sign-in is unknown or ended some time ago. Go back to the application and start again.',
  );
}

function endedPage(
  memory: Memory,
  from: Pick<AuthorizationRecord, 'redirectUri'>,
  title: string,
  text: string,
): Answer {
  const url = homeOf(from);
  const back = url === undefined ? url : { url, label: `Go to ${applicationOf(memory, from)}` };
  return errorPage(410, title, `${text} Go back to the application, and start again if you need to.`, back);
}

/** Get the response to a visit. Errors that the user cannot fix on the page, such as a deleted user, become an error page. */
async function withErrorPage(visit: Visit, answer: () => PageAnswer | Promise<PageAnswer>): Promise<Answer> {
  try {
    return (await answer()) ?? goToCurrentStep(visit);
  } catch (error) {
    if (!(error instanceof EmulatorRefusal) || error.status === 429) throw error;
    return errorPage(error.status, 'That did not work', error.message, {
      url: addressOf('sign-in', visit.authorization),
      label: 'Start again',
    });
  }
}
