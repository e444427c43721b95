import { requireSession } from 'sallyport/session';
import { sessions } from '../../../lib/server/sessions';
import type { RequestHandler } from './$types';

const me = requireSession(sessions, { bearer: true }, (_, { userId }) => Response.json({ userId }));

export const GET: RequestHandler = ({ request }) => me(request);
