'use client';

import { useActionState } from 'react';
import { invite } from './actions';

export function InviteForm() {
  const [problem, action] = useActionState(invite, null);
  return (
    <form action={action}>
      {problem && <p>{problem}</p>}
      <label>
        Email address <input type="email" name="email" required />
      </label>
      <button type="submit">Invite</button>
    </form>
  );
}
