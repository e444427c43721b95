import { createElement, type FunctionComponent, useState } from 'react';
import { SignInLink, SignOutButton, useAccessToken, usePermission, useSession } from 'sallyport/react';

/** Ask the application's server for the user of the access token. */
const Caller: FunctionComponent = () => {
  const getAccessToken = useAccessToken();
  const [answer, setAnswer] = useState('');
  const call = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${await getAccessToken()}` };
    setAnswer(await (await fetch('/api/me', { headers })).text());
  };
  const renew = () => getAccessToken({ forceRefresh: true });
  return createElement(
    'div',
    null,
    createElement('button', { type: 'button', onClick: call }, 'Ask the server'),
    createElement('button', { type: 'button', onClick: renew }, 'Renew the access token'),
    createElement('output', null, answer),
  );
};

/** A page with the signed-in user and their permissions. */
export const Application: FunctionComponent<{
  readonly signIn?: string;
  readonly signOut?: string;
  readonly needsSession?: boolean;
}> = (props) => {
  const { status, session, problem, refresh } = useSession({ signIn: props.needsSession });
  const mayWrite = usePermission('reports:write');
  const who = session ? `Hello ${session.user.firstName}` : status === 'signed_out' ? 'Nobody is signed in' : status;
  return createElement(
    'main',
    null,
    createElement('p', { role: 'status' }, who),
    session && createElement('p', null, mayWrite ? 'Write a report' : 'Read reports'),
    session && createElement('p', { id: 'token' }, String(session.claims?.jti)),
    problem && createElement('p', { role: 'alert' }, problem.reason),
    session
      ? createElement(SignOutButton, { action: props.signOut, returnTo: '/' })
      : createElement(SignInLink, { href: props.signIn }),
    createElement('button', { type: 'button', onClick: refresh }, 'Refresh'),
    session && createElement(Caller),
  );
};
