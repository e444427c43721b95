import { createFileRoute } from '@tanstack/react-router';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../sessions';

// For the cookie of a browser and for access tokens.
const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const Route = createFileRoute('/api/me')({
  server: { handlers: { GET: ({ request }) => me(request) } },
});
