import { SignInLink, usePermission, useSession } from 'sallyport/react';

export function Reports() {
  const { session } = useSession({ signIn: true });
  const mayRead = usePermission('reports:read');
  if (!session) return <SignInLink />;
  return <p>{mayRead ? `Reports of ${session.organizationId}` : 'You may not read reports'}</p>;
}
