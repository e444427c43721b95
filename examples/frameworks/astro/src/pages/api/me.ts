import type { APIRoute } from 'astro';
import { requireSession } from 'sallyport/session';
import { sessions } from '../../sessions';

const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const GET: APIRoute = ({ request }) => me(request);
