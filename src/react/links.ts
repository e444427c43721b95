import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  createElement,
  type MouseEvent,
  type ReactElement,
} from 'react';
import type { SignInOptions } from '../browser/options.js';
import { useProvided } from './hooks.js';

/** What `SignInLink` takes: whatever an `<a>` takes, and how to sign in. */
export interface SignInLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** With the session of a server, the route that begins the sign-in; default `/sign-in`. */
  readonly href?: string | undefined;
  /** With a client, what `signIn` takes: `{ returnTo: '/account' }`. */
  readonly options?: SignInOptions | undefined;
}

/** What `SignOutButton` takes: whatever a `<button>` takes, and how to sign out. */
export interface SignOutButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** With the session of a server, the route that signs out, by POST; default `/sign-out`. */
  readonly action?: string | undefined;
  /** With a client, where the service sends the user afterwards, as `signOut` takes it. */
  readonly returnTo?: string | undefined;
}

/**
 * Link to the sign-in, without styles: to a route of your server, or to the service by the client. Says "Sign in" unless it
 * has children. What goes wrong is in `problem` of `useSession`.
 */
export function SignInLink(given: SignInLinkProps): ReactElement {
  const { client, source } = useProvided('SignInLink');
  const { options, href = client ? '' : '/sign-in', children = 'Sign in', ...props } = given;
  const signIn = (event: MouseEvent<HTMLAnchorElement>): void => {
    props.onClick?.(event);
    // Whoever opens another tab by it opens this page there.
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!client || event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    void client.signIn(options).catch(source.report);
  };
  return createElement('a', { href, ...props, onClick: signIn }, children);
}

/**
 * Button that signs out, without styles: a form that posts to a route of your server, or the client. Says "Sign out" unless
 * it has children. It is no link, because browsers and proxies may open links ahead.
 */
export function SignOutButton(given: SignOutButtonProps): ReactElement {
  const { action = '/sign-out', returnTo, children = 'Sign out', ...props } = given;
  const { client, source } = useProvided('SignOutButton');
  if (!client)
    return createElement(
      'form',
      { method: 'post', action },
      createElement('button', { type: 'submit', ...props }, children),
    );
  const signOut = (event: MouseEvent<HTMLButtonElement>): void => {
    props.onClick?.(event);
    if (!event.defaultPrevented) void client.signOut({ returnTo }).catch(source.report);
  };
  return createElement('button', { type: 'button', ...props, onClick: signOut }, children);
}
