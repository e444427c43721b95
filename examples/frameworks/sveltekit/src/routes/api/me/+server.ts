import { requireSession } from 'sallyport/session';
import { sessions } from '../../../lib/server/sessions';
import type { RequestHandler } from './$types';

const me = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true });

export const GET: RequestHandler = ({ request }) => me(request);
