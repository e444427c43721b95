'use client';

import { useActionState } from 'react';
import { switchOrganization } from '../actions';

interface SwitcherProps {
  organizations: { id: string; name: string }[];
  current: string | null;
}

export function Switcher({ organizations, current }: SwitcherProps) {
  const [refusal, action] = useActionState(switchOrganization, null);
  return (
    <form action={action}>
      {refusal && <p>{`You cannot switch: ${refusal}`}</p>}
      <label>
        Organization{' '}
        <select name="organization" defaultValue={current ?? undefined} key={current}>
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Switch</button>
    </form>
  );
}
