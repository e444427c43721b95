'use client';

import { useActionState } from 'react';
import { switchOrganization } from './actions';

export function Switch() {
  const [refusal, action] = useActionState(switchOrganization, null);
  return (
    <form action={action}>
      {refusal && <p>{`You cannot switch: ${refusal}`}</p>}
      <label>
        Organization <input name="organization" />
      </label>
      <button type="submit">Switch</button>
    </form>
  );
}
