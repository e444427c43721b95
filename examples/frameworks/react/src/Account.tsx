import { useState } from 'react';
import { BrowserError } from 'sallyport/browser';
import { SignInLink, SignOutButton, useAccessToken, useSession } from 'sallyport/react';
import { client } from './client.ts';

export function Account() {
  const { session, refresh } = useSession({ signIn: true });
  const getAccessToken = useAccessToken();
  const [refusal, setRefusal] = useState('');
  const [answer, setAnswer] = useState('');
  if (!session) return <SignInLink />;

  async function switchOrganization(form: FormData) {
    const result = await client.switchOrganization(String(form.get('organization')));
    setRefusal(result.status === 'switched' ? '' : `You cannot switch: ${result.reason}`);
  }

  async function callApi() {
    try {
      const headers = { authorization: `Bearer ${await getAccessToken()}` };
      const response = await fetch('/api/me', { headers });
      setAnswer(await response.text());
    } catch (error) {
      if (!(error instanceof BrowserError)) throw error;
      setAnswer(error.code);
    }
  }

  const { user, organizationId, permissions } = session;
  return (
    <>
      <p>{`${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`}</p>
      <form action={switchOrganization}>
        <label>
          Organization <input name="organization" />
        </label>
        <button type="submit">Switch</button>
      </form>
      {refusal && <p>{refusal}</p>}
      <button type="button" onClick={refresh}>
        Refresh
      </button>
      <button type="button" onClick={callApi}>
        Call the API
      </button>
      <output>{answer}</output>
      <SignOutButton returnTo="/" />
    </>
  );
}
