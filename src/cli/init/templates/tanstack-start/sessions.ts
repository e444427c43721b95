import { createSessions } from 'sallyport/session';

export const sessions = createSessions();
