import { sessions } from '../../middleware/session';

export default defineEventHandler(async (event) => {
  const { headers } = await sessions.refresh(event);
  for (const [name, value] of headers) appendResponseHeader(event, name, value);
  return sendRedirect(event, '/account', 303);
});
