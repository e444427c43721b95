import { signOut, withAuth } from '@workos-inc/authkit-nextjs';

export default async function Page() {
  const { user, organizationId, role, permissions } = await withAuth();
  if (!user)
    return (
      <>
        <p>Nobody is signed in.</p>
        <a href="/sign-in">Sign in</a>
      </>
    );
  return (
    <form
      action={async () => {
        'use server';
        await signOut({ returnTo: process.env.APPLICATION });
      }}
    >
      <p>{`${user.email}, ${organizationId}, ${role}, ${permissions?.join(' ')}`}</p>
      <button type="submit">Sign out</button>
    </form>
  );
}
