import { requireSession } from 'sallyport/session';
import { sessions } from '../session.server';
import type { Route } from './+types/api.me';

// Accepts session cookies and access tokens.
const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const loader = ({ request }: Route.LoaderArgs) => me(request);
