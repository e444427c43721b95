import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  createElement,
  type MouseEvent,
  type ReactElement,
} from 'react';
import type { SignInOptions } from '../browser/options.js';
import { useProvided } from './hooks.js';

/** Props of `SignInLink`: those of an `<a>`, and how to sign in. */
export interface SignInLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** Without a client: the route of your server that starts the sign-in; default `/sign-in`. */
  readonly href?: string | undefined;
  /** With a client: the options of `signIn`, such as `{ returnTo: '/account' }`. */
  readonly options?: SignInOptions | undefined;
}

/** Props of `SignOutButton`: those of a `<button>`, and how to sign out. */
export interface SignOutButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Without a client: the route of your server that signs out, by POST; default `/sign-out`. */
  readonly action?: string | undefined;
  /** With a client: where the service sends the user afterwards; the `returnTo` of `signOut`. */
  readonly returnTo?: string | undefined;
}

/**
 * An unstyled link to the sign-in: to a route of your server or, with a client, to the service. Its default text is "Sign in". If
 * signing in fails, `useSession` returns the error as `problem`.
 */
export function SignInLink(linkProps: SignInLinkProps): ReactElement {
  const { client, source } = useProvided('SignInLink');
  const { options, href = client ? '' : '/sign-in', children = 'Sign in', ...props } = linkProps;
  const signIn = (event: MouseEvent<HTMLAnchorElement>): void => {
    props.onClick?.(event);
    // With a modifier key, the browser opens the link in a new tab or window itself.
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!client || event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    void client.signIn(options).catch(source.report);
  };
  return createElement('a', { href, ...props, onClick: signIn }, children);
}

/**
 * An unstyled button that signs out: a form that posts to a route of your server or, with a client, a button that calls
 * `signOut`. Its default text is "Sign out". It is not a link, because browsers and proxies may prefetch links.
 */
export function SignOutButton(linkProps: SignOutButtonProps): ReactElement {
  const { action = '/sign-out', returnTo, children = 'Sign out', ...props } = linkProps;
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
