import { Outlet } from 'react-router';
import { useSession } from 'sallyport/react';

/** The layout of every page. It waits for the session, and shows problems. */
export function App() {
  const { status, problem, refresh } = useSession();
  return (
    <main>
      {problem && <p role="alert">That did not work: {problem.reason}</p>}
      {status === 'loading' && <p>One moment</p>}
      {status === 'retry_later' && (
        <button type="button" onClick={refresh}>
          Try again
        </button>
      )}
      {(status === 'signed_in' || status === 'signed_out') && <Outlet />}
    </main>
  );
}
