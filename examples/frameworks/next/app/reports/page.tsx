import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function ReportsPage() {
  return (
    <Suspense>
      <Reports />
    </Suspense>
  );
}

// The proxy has asked for the permission: by the time a page knows, its status has been sent.
async function Reports() {
  const { organizationId } = await next.requireSession();
  return <p>{`Reports of ${organizationId}`}</p>;
}
