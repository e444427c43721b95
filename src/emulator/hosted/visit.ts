import { Answer, redirect } from '../server/answer.js';
import { errorPage } from '../server/error-page.js';
import type { PageExchange, Router } from '../server/router.js';
import { type AuthorizationRecord, authorizationBy, authorizations } from '../sign-in/authorizations.js';
import { Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { applicationOf } from './application.js';
import { type FormError, fieldText } from './forms.js';
import { addressOf, type HostedPage, homeOf } from './frame.js';
import { endingOf, isRepeatable, noteEnding, type Progress, progressOf } from './progress.js';

/** Somebody at a page of signing in. */
export interface Visit extends Pick<PageExchange, 'world' | 'query' | 'body' | 'request' | 'visitor'> {
  readonly authorization: AuthorizationRecord;
  readonly progress: Progress;
}

/** A page of signing in: what it shows, and what it does with what was typed. */
export interface HostedPagePlan {
  readonly show: (visit: Visit, errors?: readonly FormError[]) => Answer | Promise<Answer>;
  /** Refusals are shown as errors of the page. */
  readonly take: (visit: Visit) => Answer | Promise<Answer>;
  /** Refusals in words of the page, by their codes. */
  readonly wordings?: Readonly<Record<string, FormError>>;
}

/**
 * Serve a page of signing in. It needs the token of an authorization, in the address to be shown, in the form to act, and
 * the browser that began it.
 */
export function hostedPage(router: Router, name: HostedPage, { show, take, wordings = {} }: HostedPagePlan): void {
  const path = `/hosted/${name}`;

  router.page('GET', path, async (exchange) => {
    const token = exchange.query.get('authorization') ?? '';
    if (isOfAnother(exchange, token)) return otherBrowserPage();
    const visit = visitOf(exchange, token);
    if (visit instanceof Answer) return visit;
    return orErrorPage(visit, () => show(visit));
  });

  router.page('POST', path, async (exchange) => {
    const token = fieldText(exchange.body, 'authorization');
    if (isOfAnother(exchange, token)) return otherBrowserPage();
    const ending = endingOf(exchange.world, token);
    // Of two presses of a button the browser shows what came of the second.
    if (ending && isRepeatable(exchange.world, ending)) return ending.answer;
    const visit = visitOf(exchange, token);
    if (visit instanceof Answer) return visit;
    return orErrorPage(visit, async () => {
      try {
        return keepEnding(visit, await take(visit));
      } catch (error) {
        if (!(error instanceof Refusal) || error.status === 429) throw error;
        // Another request may have ended or moved the sign-in while this one waited.
        const meanwhile = endingOf(exchange.world, token);
        if (meanwhile && isRepeatable(exchange.world, meanwhile)) return meanwhile.answer;
        const again = visitOf(exchange, token);
        if (again instanceof Answer) return again;
        // Any page of a step leads to the one that is next.
        if (again.authorization.signIn !== visit.authorization.signIn) return goTo(again, 'organization');
        return show(again, [wordings[error.code] ?? { field: null, message: error.message }]);
      }
    });
  });
}

/** Whether another browser has begun the sign-in with this token: who has but the link is shown nothing of it. */
function isOfAnother({ world, visitor }: PageExchange, token: string): boolean {
  const begun = world.of(authorizations).by('token', token) ?? endingOf(world, token);
  return begun !== undefined && !visitor.began(begun);
}

const otherBrowserPage = (): Answer =>
  errorPage(
    403,
    'This sign-in began in another browser',
    'Only that browser can go on with it. Go back to the application in this one and start again. If it did begin here, let this address set cookies.',
  );

/** Remember an answer that has ended the authorization, whoever gave it. */
function keepEnding({ world, authorization }: Visit, answer: Answer): Answer {
  const isEnded = world.of(authorizations).find(authorization.id) === undefined;
  return isEnded && !endingOf(world, authorization.token) ? noteEnding(world, authorization, answer) : answer;
}

function visitOf({ world, query, body, request, visitor }: PageExchange, token: string): Visit | Answer {
  const authorization = authorizationBy(world, token);
  if (authorization)
    return { world, query, body, request, visitor, authorization, progress: progressOf(world, authorization) };
  const ending = endingOf(world, token);
  if (ending) return isOver(world, ending, 'You have finished here', 'This sign-in has ended.');
  const expiredAuthorization = world.of(authorizations).by('token', token);
  if (expiredAuthorization)
    return isOver(world, expiredAuthorization, 'This took too long', 'A sign-in can be finished within half an hour.');
  return errorPage(
    404,
    'Nothing to sign in to',
    'This sign-in is unknown, or ended some time ago. Go back to the application and start again.',
  );
}

function isOver(world: World, from: Pick<AuthorizationRecord, 'redirectUri'>, title: string, text: string): Answer {
  const back = { url: homeOf(from), label: `Go to ${applicationOf(world, from)}` };
  return errorPage(410, title, `${text} Go back to the application, and start again if you need to.`, back);
}

/** What cannot be put right on the page itself: its user is gone, say. */
async function orErrorPage({ authorization }: Visit, answer: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 429) throw error;
    return errorPage(error.status, 'That did not work', error.message, {
      url: addressOf('sign-in', authorization),
      label: 'Start again',
    });
  }
}

/** Send the browser to a page of the same authorization. */
export const goTo = (
  { authorization }: Pick<Visit, 'authorization'>,
  name: HostedPage,
  more?: Readonly<Record<string, string>>,
): Answer => redirect(addressOf(name, authorization, more), 303);
