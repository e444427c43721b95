import { Suspense } from 'react';
import { next } from '../../sallyport';
import { opened } from './gate';

export default function StreamPage() {
  return (
    <Suspense>
      <Stream />
    </Suspense>
  );
}

async function Stream() {
  const { user } = await next.requireSession();
  return (
    <>
      <p>First</p>
      <Suspense>
        <Then email={user.email} gate={opened()} />
      </Suspense>
    </>
  );
}

async function Then({ email, gate }: { email: string; gate: Promise<unknown> }) {
  await gate;
  return <p>{`Then ${email}`}</p>;
}
