import { SignInLink, usePermission, useSession } from 'sallyport/react';

export function Reports() {
  const { session } = useSession({ signIn: true });
  const mayPlan = usePermission('docs:plan');
  if (!session) return <SignInLink />;
  return <p>{mayPlan ? `Reports of ${session.organizationId}` : 'You may not read reports'}</p>;
}
