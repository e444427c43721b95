import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function ReportsPage() {
  return (
    <Suspense>
      <Reports />
    </Suspense>
  );
}

// The proxy checks the permission, because a streamed page can no longer change its status code.
async function Reports() {
  const { organizationId } = await next.requireSession();
  return <p>{`Reports of ${organizationId}`}</p>;
}
