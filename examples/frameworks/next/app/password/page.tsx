import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function PasswordPage() {
  return (
    <Suspense>
      <Password />
    </Suspense>
  );
}

async function Password() {
  const { user } = await next.requireSession({ maxAgeMs: 300_000 });
  return <p>{`A new password for ${user.email}`}</p>;
}
