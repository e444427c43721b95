export default defineEventHandler(({ context: { auth } }) => {
  if (auth.status === 'retry_later') throw createError({ statusCode: 503 });
  return auth.session;
});
