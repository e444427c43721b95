'use client';

import Link from 'next/link';
import { SignOutButton, usePermission, useSession } from 'sallyport/react';

export function Menu() {
  const { session } = useSession();
  const mayReadReports = usePermission('reports:read');
  return (
    session && (
      <header>
        {mayReadReports && <Link href="/reports">Reports</Link>}
        <SignOutButton />
      </header>
    )
  );
}
