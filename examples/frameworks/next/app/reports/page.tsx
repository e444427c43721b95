import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function ReportsPage() {
  return (
    <Suspense>
      <Reports />
    </Suspense>
  );
}

// The proxy checks the permission: a page would know only after its status has been sent.
async function Reports() {
  const { organizationId } = await next.requireSession();
  return <p>{`Reports of ${organizationId}`}</p>;
}
